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

/** What boxes without a meaning of their own are by their role: their looks are in a style sheet, which nobody reads. */
const ROLES: Readonly<Record<string, string>> = {
  table: 'table',
  grid: 'table',
  treegrid: 'table',
  rowgroup: 'tbody',
  row: 'tr',
  cell: 'td',
  gridcell: 'td',
  columnheader: 'th',
  rowheader: 'th',
};

function nameByRole(name: string, { role, 'aria-level': level = '2' }: MarkupElement['attributes']): string {
  if (role === undefined || (name !== 'div' && name !== 'span')) return name;
  if (role === 'heading') return /^[1-6]$/.test(level) ? `h${level}` : 'h6';
  return Object.hasOwn(ROLES, role) ? (ROLES[role] ?? name) : name;
}

const GROUPS = new Set(['thead', 'tbody', 'tfoot']);
const PARTS = new Set([...GROUPS, 'tr', 'td', 'th']);
/** A cell, its row and the part of the table. */
const MOST_IN_TABLE = 3;

/** Builds a tree of what a parser finds, or another tree has, in its order. */
export class MarkupTree {
  /** Has no name. */
  readonly root: MarkupElement = { name: '', attributes: {}, children: [] };
  readonly #open = [this.root];
  /** As they were opened, with those that have ended since without a tag. */
  readonly #begun: MarkupElement[] = [];

  /** The number of elements without an end tag so far, with the root. */
  get depth(): number {
    return this.#begun.length + 1;
  }

  open(name: string, attributes: MarkupElement['attributes']): void {
    const element = { name: nameByRole(name, attributes), attributes, children: [] };
    if (GROUPS.has(name)) this.#endRow();
    this.#open[Math.min(this.#open.length, MAX_DEPTH) - 1]?.children.push(element);
    this.#open.push(element);
    this.#begun.push(element);
  }

  text(data: string): void {
    this.#open.at(-1)?.children.push(data);
  }

  close(): void {
    if (this.#begun.pop() === this.#open.at(-1) && this.#open.length > 1) this.#open.pop();
  }

  /** A part of a table ends the one before it, with its row and cell, which need no end tags; the parser leaves them open. */
  #endRow(): void {
    let at = this.#open.length - 1;
    const least = at - MOST_IN_TABLE;
    while (at > least && PARTS.has(this.#open[at]?.name ?? '')) at -= 1;
    if (this.#open[at]?.name === 'table') this.#open.length = at + 1;
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
