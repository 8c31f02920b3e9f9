import { parseHTML } from 'linkedom';
import type { TruthBlock } from '../truth.ts';

/** What is used of an element. */
interface Element {
  nodeType: number;
  tagName: string;
  textContent: string | null;
  childNodes: Iterable<Element>;
  children: Iterable<Element>;
  classList: Iterable<string>;
  parentElement: Element | null;
  matches(selector: string): boolean;
  querySelector(selector: string): Element | null;
  querySelectorAll(selector: string): Iterable<Element>;
  remove(): void;
}

/** What belongs to the pages of a site and not to the book: navigation, tables of contents, indexes, marks of links. */
const NOT_OF_THE_BOOK = [
  'head, script, style, nav, footer',
  '.navheader, .navfooter, .header, .related, .sphinxsidebar, .footer, .headerlink, .toctree-wrapper',
  '.toc, .contents, .shortcontents, .Contents_element, #SEC_Contents, .contents-heading',
  '.menu, [class^=index-], .index-entry, [role=search], [aria-label="source link"]',
].join(', ');
/** Divisions of a book, by whose depth DocBook's headings are meant. */
const DIVISION = /^(part|chapter|appendix|preface|section|sect[1-5]|refsect[1-3])$/;
const HEADING = /^H[1-6]$/;
/** What begins a block of its own within running text. */
const BLOCKS = 'p, ul, ol, dl, pre, table, h1, h2, h3, h4, h5, h6, blockquote, div, section';

/**
 * The blocks of a book in their order.
 *
 * @param pages the HTML of its pages
 */
export async function readHtmlBook(pages: readonly string[]): Promise<TruthBlock[]> {
  return pages.flatMap((html) => {
    const { document } = parseHTML(html);
    const { body: whole } = document as unknown as { body: Element };
    const body = whole.querySelector('[role=main], .body') ?? whole;
    for (const node of body.querySelectorAll(NOT_OF_THE_BOOK)) node.remove();
    return blocksIn(body);
  });
}

function blocksIn(parent: Element): TruthBlock[] {
  const blocks: TruthBlock[] = [];
  let running = '';
  const flush = (): void => {
    if (running.trim() !== '') blocks.push({ type: 'paragraph', text: inline(running) });
    running = '';
  };
  for (const element of parent.childNodes) {
    if (element.nodeType === 3) {
      running += element.textContent ?? '';
      continue;
    }
    if (element.nodeType !== 1) continue;
    if (!element.matches(BLOCKS) && element.querySelector(BLOCKS) === null) {
      running += element.tagName === 'BR' ? '\n' : (element.textContent ?? '');
      continue;
    }
    flush();
    blocks.push(...blocksOf(element));
  }
  flush();
  return blocks;
}

function blocksOf(element: Element): TruthBlock[] {
  const { tagName } = element;
  if (HEADING.test(tagName)) {
    const text = inline(element.textContent ?? '');
    return text === '' ? [] : [{ type: 'heading', text, level: levelOf(element) }];
  }
  if (tagName === 'PRE') return [{ type: 'code', text: (element.textContent ?? '').replace(/^\n/, '') }];
  if (tagName === 'UL' || tagName === 'OL') return listOf(element);
  if (tagName === 'TABLE') return tableOf(element);
  return blocksIn(element);
}

function levelOf(heading: Element): number {
  let depth = 0;
  for (let node = heading.parentElement; node; node = node.parentElement)
    if ([...node.classList].some((name) => DIVISION.test(name)) || node.tagName === 'SECTION') depth += 1;
  return depth > 0 ? depth : Number(heading.tagName.slice(1));
}

/** A list of short items is one block; what its items contain besides are blocks of their own. */
function listOf(list: Element): TruthBlock[] {
  const items = [...list.children].filter(({ tagName }) => tagName === 'LI');
  const inner = items.map((item) => blocksIn(item));
  if (inner.some((blocks) => blocks.length !== 1 || blocks[0]?.type !== 'paragraph')) return inner.flat();
  return [
    {
      type: 'list',
      items: inner.flatMap(([block]) =>
        block?.type === 'paragraph' ? [{ text: block.text, depth: 0 }] : [],
      ),
    },
  ];
}

/** Tables also hold admonitions and whole listings in place: those are what they contain. */
function tableOf(table: Element): TruthBlock[] {
  const rows = [...table.querySelectorAll('tr')];
  const cells = rows.map((row) => [...row.children].filter(({ tagName }) => /^T[HD]$/.test(tagName)));
  const widest = Math.max(0, ...cells.map(({ length }) => length));
  const isLayout =
    widest < 2 || rows.length < 2 || table.querySelector('pre, table, ul, ol, dl, img') !== null;
  if (isLayout) return cells.flat().flatMap((cell) => blocksIn(cell));
  return [{ type: 'table', rows: cells.map((row) => row.map((cell) => inline(cell.textContent ?? ''))) }];
}

const inline = (text: string): string => text.replaceAll(/¶/g, '').replaceAll(/\s+/g, ' ').trim();
