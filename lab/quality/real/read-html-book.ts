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
  innerHTML: string;
  outerHTML: string;
  getAttribute(name: string): string | null;
  replaceWith(...nodes: Element[]): void;
  remove(): void;
}

/** What belongs to the pages of a site and not to the book: navigation, tables of contents, indexes, marks of links. */
const NOT_OF_THE_BOOK = [
  'head, script, style, nav, footer, form, svg, object, iframe',
  '.navheader, .navfooter, .header, .related, .sphinxsidebar, .footer, .headerlink, .toctree-wrapper',
  '.toc, .contents, .shortcontents, .Contents_element, #SEC_Contents, .contents-heading',
  '.menu, [class^=index-], .index-entry, [role=search], [aria-label="source link"]',
].join(', ');
/** Divisions of a book, by whose depth the headings of DocBook and Texinfo are meant. */
const DIVISION =
  /^(part|chapter|appendix|preface|unnumbered|section|sect[1-5]|refsect[1-3]|(appendix|unnumbered)?(sub){0,2}sec(tion)?)$/;
const [ELEMENT, TEXT] = [1, 3];
const HEADING = /^H[1-6]$/;
/** What begins a block of its own within running text. */
const BLOCKS = 'p, ul, ol, dl, pre, table, h1, h2, h3, h4, h5, h6, blockquote, div, section';

/** A piece of a book that is not divided further: its HTML without the divisions around it, and what it says. */
export interface Part {
  html: string;
  blocks: TruthBlock[];
}

/**
 * A book in its order, without what belongs to the pages of a site. The HTML of its parts together is the same book as
 * their blocks, so that both can be made into other types of document.
 *
 * @param pages the HTML of its pages
 */
export function readHtmlBook(pages: readonly string[]): Part[] {
  return pages.flatMap((html) => {
    const { document } = parseHTML(html);
    const { body: whole } = document as unknown as { body: Element };
    const body = whole.querySelector('[role=main], .body') ?? whole;
    for (const node of body.querySelectorAll(NOT_OF_THE_BOOK)) node.remove();
    // Their targets are elsewhere.
    for (const node of body.querySelectorAll('a')) node.replaceWith(...node.childNodes);
    return partsIn(body).map((part) => ({ ...part, html: part.html.replaceAll(/<img[^>]*>/g, '') }));
  });
}

const blocksIn = (parent: Element): TruthBlock[] => partsIn(parent).flatMap(({ blocks }) => blocks);

function partsIn(parent: Element): Part[] {
  const parts: Part[] = [];
  let running: Element[] = [];
  const flush = (): void => {
    const text = running.map((node) => (node.tagName === 'BR' ? '\n' : (node.textContent ?? ''))).join('');
    if (text.trim() !== '') {
      const html = running.map(htmlOf).join('');
      parts.push({ html: `<p>${html}</p>`, blocks: [{ type: 'paragraph', text: inline(text) }] });
    }
    running = [];
  };
  for (const node of parent.childNodes) {
    if (node.nodeType !== ELEMENT && node.nodeType !== TEXT) continue;
    if (node.nodeType === TEXT || (!node.matches(BLOCKS) && node.querySelector(BLOCKS) === null)) {
      running.push(node);
      continue;
    }
    flush();
    parts.push(...partsOf(node));
  }
  flush();
  return parts;
}

function partsOf(element: Element): Part[] {
  const { tagName, innerHTML, outerHTML: html } = element;
  if (HEADING.test(tagName)) {
    const text = inline(element.textContent ?? '');
    const level = levelOf(element);
    const tag = `h${Math.min(level, 6)}`;
    return text === ''
      ? []
      : [{ html: `<${tag}>${innerHTML}</${tag}>`, blocks: [{ type: 'heading', text, level }] }];
  }
  if (tagName === 'PRE') {
    const text = (element.textContent ?? '').replace(/^\n/, '');
    return [{ html: `<pre><code>${escaped(text)}</code></pre>`, blocks: [{ type: 'code', text }] }];
  }
  if (tagName === 'P') return [{ html, blocks: blocksIn(element) }];
  if (tagName === 'UL' || tagName === 'OL') return [{ html, blocks: listOf(element) }];
  if (tagName === 'DL') return [{ html, blocks: blocksIn(element) }];
  if (tagName === 'TABLE') return tableOf(element);
  return partsIn(element);
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
function tableOf(table: Element): Part[] {
  const rows = [...table.querySelectorAll('tr')];
  const cells = rows.map((row) => [...row.children].filter(({ tagName }) => /^T[HD]$/.test(tagName)));
  const widest = Math.max(0, ...cells.map(({ length }) => length));
  const isLayout =
    widest < 2 || rows.length < 2 || table.querySelector('pre, table, ul, ol, dl, img') !== null;
  if (isLayout) return cells.flat().flatMap((cell) => partsIn(cell));
  return [{ html: table.outerHTML, blocks: [{ type: 'table', ...gridOf(cells) }] }];
}

/** A merged cell says its value in each place that it covers; `unmerged` has it in the first alone. */
function gridOf(cells: readonly (readonly Element[])[]): { rows: string[][]; unmerged: string[][] } {
  const rows: string[][] = cells.map(() => []);
  const unmerged: string[][] = cells.map(() => []);
  for (const [y, row] of cells.entries()) {
    let x = 0;
    for (const cell of row) {
      while (rows[y]?.[x] !== undefined) x += 1;
      const text = inline(cell.textContent ?? '');
      const [wide, high] = ['colspan', 'rowspan'].map((name) => Number(cell.getAttribute(name)) || 1);
      for (const [down, covered] of rows.slice(y, y + (high ?? 1)).entries())
        for (let right = x; right < x + (wide ?? 1); right++) {
          covered[right] = text;
          const once = unmerged[y + down];
          if (once) once[right] = down === 0 && right === x ? text : '';
        }
    }
  }
  return { rows, unmerged };
}

const inline = (text: string): string => text.replaceAll(/¶/g, '').replaceAll(/\s+/g, ' ').trim();

const htmlOf = (node: Element): string =>
  node.nodeType === TEXT ? escaped(node.textContent ?? '') : node.outerHTML;

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
