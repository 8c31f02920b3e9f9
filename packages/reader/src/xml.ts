/** Reads the XML parts of Office documents as small trees, block by block if they are long. */
import { SaxesParser } from 'saxes';
import { UnreadableDocument } from './opened-document.ts';
import { LIMITS } from './limits.ts';

/** An element. Names have the usual prefix of their namespace, whatever prefix the document declares: `w:p`. */
export interface XmlNode {
  name: string;
  attributes: Readonly<Record<string, string>>;
  children: XmlNode[];
  /** The characters directly inside it. Office documents do not mix text and elements. */
  text: string;
}

/** The usual prefixes of namespaces; those of strict documents end alike. */
const PREFIXES: readonly (readonly [ending: string, prefix: string])[] = [
  ['/wordprocessingml/main', 'w'],
  ['/wordprocessingml/2006/main', 'w'],
  ['/officeDocument/math', 'm'],
  ['/officeDocument/2006/math', 'm'],
  ['/drawingml/main', 'a'],
  ['/drawingml/2006/main', 'a'],
  ['/drawingml/chart', 'c'],
  ['/drawingml/2006/chart', 'c'],
  ['/drawingml/diagram', 'dgm'],
  ['/drawingml/2006/diagram', 'dgm'],
  ['/drawingml/picture', 'pic'],
  ['/drawingml/2006/picture', 'pic'],
  ['/drawingml/wordprocessingDrawing', 'wp'],
  ['/drawingml/2006/wordprocessingDrawing', 'wp'],
  ['/officeDocument/relationships', 'r'],
  ['/officeDocument/2006/relationships', 'r'],
  ['/package/2006/relationships', 'rel'],
  ['/markup-compatibility/2006', 'mc'],
  ['/office/word/2010/wordml', 'w14'],
  [':vml', 'v'],
  ['/purl.org/dc/elements/1.1/', 'dc'],
  ['/purl.org/dc/terms/', 'dcterms'],
];

export interface XmlOptions {
  /** The element whose children are handed out one by one instead of being kept, such as `w:body`. */
  container: string;
  onBlock(block: XmlNode): void;
}

/**
 * The root element. Documents with a type declaration are refused, so that no entity is ever expanded.
 *
 * @throws UnreadableDocument if it is no well-formed XML, or beyond the limits of depth and number of elements
 */
export function parseXml(xml: string, options?: XmlOptions): XmlNode {
  const parser = new SaxesParser({ xmlns: true });
  const prefixes = new Map<string, string>();
  const prefixOf = (uri: string): string => {
    let prefix = prefixes.get(uri);
    if (prefix === undefined) {
      const known = PREFIXES.find(([ending]) => uri.endsWith(ending))?.[1];
      prefix = known === undefined ? '' : `${known}:`;
      prefixes.set(uri, prefix);
    }
    return prefix;
  };
  const root: XmlNode = { name: '', attributes: {}, children: [], text: '' };
  const open: XmlNode[] = [root];
  let count = 0;
  parser.on('error', (cause) => {
    throw new UnreadableDocument('damaged', 'The XML of the document is damaged.', { cause });
  });
  parser.on('doctype', () => {
    throw new UnreadableDocument('damaged', 'The XML of the document declares entities of its own.');
  });
  parser.on('opentag', ({ local, uri, attributes }) => {
    count += 1;
    if (count > LIMITS.xmlElements || open.length > LIMITS.xmlDepth)
      throw new UnreadableDocument(
        'too_large',
        'The document has too many elements, or nests them too deeply.',
      );
    const named: Record<string, string> = {};
    for (const attribute of Object.values(attributes))
      if (attribute.prefix !== 'xmlns') named[prefixOf(attribute.uri) + attribute.local] = attribute.value;
    open.push({ name: prefixOf(uri) + local, attributes: named, children: [], text: '' });
  });
  parser.on('text', (text) => {
    const node = open.at(-1);
    if (node) node.text += text;
  });
  parser.on('cdata', (text) => {
    const node = open.at(-1);
    if (node) node.text += text;
  });
  parser.on('closetag', () => {
    const node = open.pop();
    const parent = open.at(-1);
    if (!node || !parent) return;
    if (options && parent.name === options.container) options.onBlock(node);
    else parent.children.push(node);
  });
  // In pieces, since the parser copies what it is given.
  for (let at = 0; at < xml.length; at += PIECE) parser.write(xml.slice(at, at + PIECE));
  parser.close();
  const [element] = root.children;
  if (!element) throw new UnreadableDocument('damaged', 'The XML of the document is empty.');
  return element;
}

const PIECE = 64 * 1024;

/** The first child of that name. */
export const child = (node: XmlNode | undefined, name: string): XmlNode | undefined =>
  node?.children.find((one) => one.name === name);

/** The value (`w:val`) of a child, if there is one. */
export const valueOf = (node: XmlNode | undefined, name: string): string | undefined =>
  child(node, name)?.attributes[`${name.slice(0, name.indexOf(':'))}:val`];

/** Whether a child switches a property on: present, and not switched off by its value. */
export function isOn(node: XmlNode | undefined, name: string): boolean | undefined {
  if (!child(node, name)) return undefined;
  return !/^(?:0|false|off|none)$/.test(valueOf(node, name) ?? '');
}

/** All elements of that name below a node, in order. */
export function* descendants(node: XmlNode, name: string): Generator<XmlNode> {
  for (const one of node.children) {
    if (one.name === name) yield one;
    yield* descendants(one, name);
  }
}
