import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import { plainText, type PageElement } from 'darkroom-reader/document';
import { detectLanguage } from 'darkroom-reader/language';
import type { ParsedPage } from '../../domain/links/web-page.ts';
import { decodePage } from './decode-page.ts';
import { ARTICLE_ASIDES, ELEMENT, PAGE_ASIDES, pageElements, TEXT, type DomNode } from './page-elements.ts';
import { readMetadata, type MetaDocument } from './page-metadata.ts';

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

/**
 * Parses a page: its metadata, images, and the readable content as elements, without navigation and
 * advertisements. The content starts with the title. A page without a readable article is read as a whole; a
 * page without any text is represented by its description.
 *
 * @param contentType header of the answer, which may name the encoding
 * @param url of the page
 */
export function parsePage(bytes: Uint8Array, contentType: string | undefined, url: string): ParsedPage {
  const html = decodePage(bytes, contentType);
  const document = documentOf(html);
  const metadata = readMetadata(document, url);
  const elements = withTitle(contentOf(document, html), metadata);
  const sample = elements.map(plainText).join(' ');
  return {
    ...metadata,
    language: metadata.language ?? detectLanguage(sample.slice(0, SAMPLE)),
    elements,
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

function contentOf(document: PageDocument, html: string): PageElement[] {
  const article = articleOf(document);
  if (article && lengthOf(article) >= LEAST_ARTICLE) return article;
  // A second parse, since finding the article changes the document.
  const whole = documentOf(html);
  const main = pageElements(whole.body, PAGE_ASIDES);
  return lengthOf(main) > 0 ? main : pageElements(whole.body, new Set());
}

function articleOf(document: PageDocument): PageElement[] | undefined {
  try {
    const found = new Readability(document, {
      maxElemsToParse: MAX_WEIGHED,
      charThreshold: LEAST_ARTICLE,
      serializer: (element) => element,
    }).parse();
    return found?.content ? pageElements(found.content, ARTICLE_ASIDES) : undefined;
  } catch {
    // Too many elements, or broken markup that the plain walk may be able to read.
    return undefined;
  }
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
