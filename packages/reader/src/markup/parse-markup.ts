/** Parses HTML, XHTML and the XML of office documents into a small tree. No DTD is read and no own entity expanded. */
import { Parser, type ParserOptions } from 'htmlparser2';
import { UnreadableDocument } from '../opened-document.ts';

export interface MarkupElement {
  /** Lower case in HTML; in XML without its prefix. */
  name: string;
  /** By their names with prefixes. */
  attributes: Readonly<Record<string, string>>;
  children: (MarkupElement | string)[];
}

/** Deeper elements become children of the one at this depth, so that a walk of the tree may be recursive. */
const MAX_DEPTH = 200;
/** Tags that are open at once: the parser looks through all of them for each end tag. */
const MAX_OPEN = 2_000;
/** Elements of a text; each takes about 300 bytes. */
const MAX_ELEMENTS = 2_000_000;

/** HTML as browsers read it, except that `<a id="x"/>` is closed, as XHTML has it. @throws UnreadableDocument */
export function parseHtml(text: string): MarkupElement {
  return parse(text, { recognizeSelfClosing: true });
}

/** HTML that is XML too, with its CDATA sections. @throws UnreadableDocument */
export function parseXhtml(text: string): MarkupElement {
  return parse(text, { recognizeSelfClosing: true, recognizeCDATA: true });
}

/** @throws UnreadableDocument */
export function parseXml(text: string): MarkupElement {
  return parse(text, { xmlMode: true });
}

/** Builds a tree of what a parser finds, or another tree has, in its order. */
export class MarkupTree {
  /** Has no name. */
  readonly root: MarkupElement = { name: '', attributes: {}, children: [] };
  readonly #open = [this.root];

  /** The number of open elements, with the root. */
  get depth(): number {
    return this.#open.length;
  }

  open(name: string, attributes: MarkupElement['attributes']): void {
    const element = { name, attributes, children: [] };
    this.#open[Math.min(this.depth, MAX_DEPTH) - 1]?.children.push(element);
    this.#open.push(element);
  }

  text(data: string): void {
    this.#open.at(-1)?.children.push(data);
  }

  close(): void {
    if (this.depth > 1) this.#open.pop();
  }
}

function parse(text: string, options: ParserOptions): MarkupElement {
  const tree = new MarkupTree();
  let elements = 0;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        elements += 1;
        if (elements > MAX_ELEMENTS || tree.depth > MAX_OPEN)
          throw new UnreadableDocument(
            'too_large',
            `The document has more than ${MAX_ELEMENTS} elements, or ${MAX_OPEN} in each other.`,
          );
        tree.open(options.xmlMode ? localName(name) : name, attributes);
      },
      ontext: (data) => tree.text(data),
      onclosetag: () => tree.close(),
    },
    options,
  );
  parser.end(text);
  return tree.root;
}

/** A name without its prefix. */
export function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

/** The child elements of an element, all or those of a name. */
export function childrenOf(parent: MarkupElement | undefined, name?: string): MarkupElement[] {
  return (parent?.children ?? []).filter(
    (child) => typeof child !== 'string' && (name === undefined || child.name === name),
  ) as MarkupElement[];
}

/** The element at a path of names below another one: the first of each name. */
export function childAt(parent: MarkupElement | undefined, ...path: string[]): MarkupElement | undefined {
  return path.reduce<MarkupElement | undefined>((found, name) => childrenOf(found, name)[0], parent);
}

/** All elements of a name below another one, in order. */
export function* descendants(parent: MarkupElement | undefined, name: string): Generator<MarkupElement> {
  const waiting = childrenOf(parent).toReversed();
  for (let element = waiting.pop(); element; element = waiting.pop()) {
    if (element.name === name) yield element;
    for (const child of childrenOf(element).toReversed()) waiting.push(child);
  }
}

/** All elements below another one that have an element of these names below them. */
export function holdersOf(parent: MarkupElement, names: ReadonlySet<string>): Set<MarkupElement> {
  const holders = new Set<MarkupElement>();
  const isHolder = (element: MarkupElement): boolean => {
    let holds = false;
    for (const child of childrenOf(element)) holds = isHolder(child) || names.has(child.name) || holds;
    if (holds) holders.add(element);
    return holds;
  };
  isHolder(parent);
  return holders;
}

/** Characters that Office writes as `_x000D_`, since XML has none for them; a break of Windows is one. */
export const unescaped = (text: string): string =>
  text
    .replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll(/\r\n?/g, '\n')
    .toWellFormed();

/** The text below an element, as it is written. */
export function textOf(element: MarkupElement | undefined): string {
  return (element?.children ?? [])
    .map((child) => (typeof child === 'string' ? child : textOf(child)))
    .join('');
}
