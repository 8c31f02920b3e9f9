import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import { plainText, type PageElement } from 'darkroom-reader/document';
import {
  decodeMarkup,
  type Extent,
  htmlElements,
  type MarkupElement,
  MarkupTree,
} from 'darkroom-reader/html';
import { detectLanguage } from 'darkroom-reader/language';
import type { ParsedPage } from '../../domain/links/web-page.ts';
import { readMetadata, type MetaDocument } from './page-metadata.ts';

/** The part of the DOM that is used. */
interface DomNode {
  nodeType: number;
  nodeName: string;
  textContent: string | null;
  childNodes: Iterable<DomNode>;
  /** Of elements. */
  attributes?: Iterable<{ name: string; value: string }>;
  getAttribute?(name: string): string | null;
}

/** Values of `nodeType`. */
const TEXT = 3;
const ELEMENT = 1;

/** Declared here, since the project does not load the DOM types. */
interface PageDocument extends MetaDocument, DomNode {
  documentElement: {
    getAttribute(name: string): string | null;
    setAttribute(name: string, value: string): void;
  };
  body: DomNode & { append(node: DomNode): void };
  querySelector(selector: string): DomNode | null;
}

/** Minimum length of an article in characters: a shorter one is more likely a fragment of the page. */
const LEAST_ARTICLE = 250;
/** Maximum number of elements for Readability, which scores every one. */
const MAX_WEIGHED = 50_000;
const SAMPLE = 2_000;
/** Limits on the stored text of a page. */
const MOST: Extent = { elements: 5_000, characters: 2_000_000, rows: 2_000, columns: 100 };
const NO_TEXT = 'The page has no readable text.';
const NO_TEXT_WITHOUT_SCRIPTS = 'The page has no readable text without JavaScript.';
/** Elements outside the text of an article; its own header is part of it. */
const ARTICLE_ASIDES: ReadonlySet<string> = new Set(['nav', 'aside', 'footer']);
/** Elements outside the main text of a page. */
const PAGE_ASIDES: ReadonlySet<string> = new Set([...ARTICLE_ASIDES, 'header']);

/**
 * Parses a page: its metadata, images, and the readable content as elements, without navigation and
 * advertisements. The content starts with the title. A page without a readable article is read as a whole; a
 * page without any text is represented by its description.
 *
 * @param contentType header of the answer, which may name the encoding
 * @param url of the page
 */
export function parsePage(bytes: Uint8Array, contentType: string | undefined, url: string): ParsedPage {
  const { text: html, note } = decodeMarkup(bytes, contentType);
  const document = documentOf(html);
  const metadata = readMetadata(document, url);
  const hasScripts = document.querySelector('script') !== null;
  const content = contentOf(document, html, url);
  const elements = withTitle(content, metadata);
  const notes = [note, content.length > 0 ? undefined : hasScripts ? NO_TEXT_WITHOUT_SCRIPTS : NO_TEXT];
  const sample = elements.map(plainText).join(' ');
  return {
    ...metadata,
    language: metadata.language ?? detectLanguage(sample.slice(0, SAMPLE)),
    elements,
    note: notes.filter((each) => each !== undefined).join(' ') || null,
  };
}

/**
 * Parses HTML into a document with one head and one body that contains all visible content. The parser
 * neither adds missing ones nor moves content that is outside of them.
 */
function documentOf(html: string): PageDocument {
  const { document: parsed }: { document: PageDocument } = parseHTML(html);
  const [root, ...others] = shown(parsed);
  const isComplete =
    root?.nodeName === 'HTML' &&
    others.length === 0 &&
    shown(root)
      .map(({ nodeName }) => nodeName)
      .join() === 'HEAD,BODY';
  if (isComplete) return parsed;
  const { document }: { document: PageDocument } = parseHTML(EMPTY_PAGE);
  const language = parsed.querySelector('html')?.getAttribute?.('lang');
  if (language != null) document.documentElement.setAttribute('lang', language);
  const move = (parent: DomNode): void => {
    // A copy in linkedom, so moving nodes does not change it.
    for (const node of parent.childNodes) {
      if (FRAME.has(node.nodeName)) move(node);
      else if (node.nodeType === ELEMENT || node.nodeType === TEXT) document.body.append(node);
    }
  };
  move(parsed);
  return document;
}

const EMPTY_PAGE = '<!doctype html><html><head></head><body></body></html>';
const FRAME = new Set(['HTML', 'HEAD', 'BODY']);

/** Nodes other than comments, white space and the doctype. */
function shown({ childNodes }: DomNode): DomNode[] {
  return [...childNodes].filter(
    ({ nodeType, textContent }) =>
      nodeType === ELEMENT || (nodeType === TEXT && (textContent ?? '').trim() !== ''),
  );
}

function contentOf(document: PageDocument, html: string, url: string): PageElement[] {
  const isWeighed = [...document.querySelectorAll('*')].length <= MAX_WEIGHED;
  const article = isWeighed ? articleOf(document, url) : undefined;
  if (article && lengthOf(article) >= LEAST_ARTICLE) return article;
  // A second parse, since finding the article changes the document; of a long page, it would double time and memory.
  const whole = isWeighed ? documentOf(html) : document;
  const main = elementsOf(whole.body, PAGE_ASIDES, url);
  return lengthOf(main) > 0 ? main : elementsOf(whole.body, new Set(), url);
}

function articleOf(document: PageDocument, url: string): PageElement[] | undefined {
  try {
    const found = new Readability(document, {
      charThreshold: LEAST_ARTICLE,
      serializer: (element) => element,
    }).parse();
    return found?.content ? elementsOf(found.content, ARTICLE_ASIDES, url) : undefined;
  } catch {
    // Broken markup that the plain walk may be able to read.
    return undefined;
  }
}

/** The elements below a node. @param without names of elements that are left out with their content */
function elementsOf(node: DomNode, without: ReadonlySet<string>, url: string): PageElement[] {
  const found = htmlElements(markupOf(node, without), MOST, url);
  const share = 1 / Math.max(1, found.length);
  // A web page has no sheet, so the box gives the relative vertical position of an element.
  return found.map((element, at) => ({ ...element, box: { x: 0, y: at * share, w: 1, h: share } }));
}

/** A node as the tree of markup that is walked for files as well. */
function markupOf(node: DomNode, without: ReadonlySet<string>): MarkupElement {
  const tree = new MarkupTree();
  // No recursion, since a page may nest deeper than calls; null ends an element.
  const waiting: (DomNode | null)[] = [node];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next === null) tree.close();
    else if (next.nodeType === TEXT) tree.text(next.textContent ?? '');
    else if (next.nodeType === ELEMENT && !without.has(next.nodeName.toLowerCase())) {
      tree.open(next.nodeName.toLowerCase(), attributesOf(next));
      waiting.push(null);
      for (const child of [...next.childNodes].toReversed()) waiting.push(child);
    }
  }
  return tree.root;
}

/** The parser keeps the case of their names. */
function attributesOf({ attributes = [] }: DomNode): MarkupElement['attributes'] {
  return Object.fromEntries(Array.from(attributes, ({ name, value }) => [name.toLowerCase(), value]));
}

function lengthOf(elements: readonly PageElement[]): number {
  return elements.reduce((sum, element) => sum + plainText(element).length, 0);
}

function withTitle(
  elements: PageElement[],
  { title, description }: Pick<ParsedPage, 'title' | 'description'>,
): PageElement[] {
  const box = { x: 0, y: 0, w: 1, h: 0 };
  const body =
    elements.length === 0 && description
      ? [{ type: 'paragraph' as const, content: description, box }]
      : elements;
  const [first] = body;
  const named = first?.type === 'heading' && first.content === title;
  if (title === null || named) return body;
  return [{ type: 'heading', content: title, box, level: 1 }, ...body];
}
