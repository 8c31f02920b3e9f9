/** The thread that parses one Markdown document: some structures take the parser hours for a few kilobytes. */
import { parentPort, workerData } from 'node:worker_threads';
import type { List, Nodes, Root, RootContent } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { type ListItem, plainText } from '../document/element.ts';
import { tableOf } from '../flow/grid.ts';
import { type FlowElement, joinPairs } from '../flow/paginate.ts';
import { InlineMarks, UNMARKED } from '../inline/inline-marks.ts';
import { lowered, raised } from '../inline/raised.ts';
import { htmlElements } from '../html/html-elements.ts';
import { cleanText } from '../layout/plain-text.ts';
import { parseHtml } from '../markup/parse-markup.ts';

/** The elements of a Markdown document, whose HTML is read like a page. */
function markdownElements(root: Root): FlowElement[] {
  for (const node of root.children) if (node.type === 'definition') targets.set(node.identifier, node.url);
  return joinPairs(
    joinHtml(root.children)
      .flatMap(elementsOf)
      .map((element) => marks.separate(element))
      .filter((element) => element.type === 'figure' || plainText(element) !== ''),
  );
}

/** Blank lines divide HTML, which goes on after them. */
function joinHtml(nodes: readonly RootContent[]): RootContent[] {
  const joined: RootContent[] = [];
  for (const node of nodes) {
    const last = joined.at(-1);
    if (node.type === 'html' && last?.type === 'html')
      joined[joined.length - 1] = { ...last, value: `${last.value}\n\n${node.value}` };
    else joined.push(node);
  }
  return joined;
}

function elementsOf(node: RootContent): FlowElement[] {
  switch (node.type) {
    case 'heading':
      return [{ type: 'heading', content: textOf(node), level: node.depth }];
    case 'paragraph': {
      const [only] = node.children;
      if (only?.type === 'image' && node.children.length === 1)
        return [{ type: 'figure', content: cleanText(only.alt ?? '') }];
      return [{ type: 'paragraph', content: textOf(node) }];
    }
    case 'code':
      return [{ type: 'code', content: node.value, ...(node.lang && { language: node.lang }) }];
    case 'list':
      return listElements(node);
    case 'table':
      return tableOf(node.children.map((row) => row.children.map(textOf)));
    case 'blockquote':
      return joinHtml(node.children).flatMap(elementsOf);
    case 'footnoteDefinition':
      return [{ type: 'paragraph', content: `[${node.label}] ${textOf(node)}`, role: 'footnote' }];
    case 'html':
      return htmlElements(parseHtml(node.value));
    default:
      return [];
  }
}

const marks = new InlineMarks();
/** Addresses of references, by their names. */
const targets = new Map<string, string>();
/** Tags of HTML that give the text between them a look. */
const LOOK = /^<(\/?)(sup|sub|s|strike|del|rt|rp)\b[^<>]*>$/i;

/** Tags of HTML that begin or end a line. */
const BREAK = /^<\/?(?:br|p|div|li|tr|td|th|h[1-6]|hr|img|blockquote)\b/i;

const textOf = (node: Nodes): string => cleanText(inlineText(node)).trim();

/** The text below a node, with its marks. */
function inlineText(node: Nodes): string {
  if (!('children' in node)) {
    if (node.type === 'image' || node.type === 'imageReference') return node.alt ?? '';
    if (node.type === 'break') return '\n';
    if (node.type === 'footnoteReference') return `[${node.label}]`;
    if (node.type === 'html') return BREAK.test(node.value) ? '\n' : '';
    return 'value' in node ? node.value : '';
  }
  const { begin, end } = signsOf(node);
  return begin + textOfAll(node.children) + end;
}

function signsOf(node: Nodes) {
  if (node.type === 'delete') return marks.struck;
  if (node.type === 'link') return marks.link(node.url);
  return node.type === 'linkReference' ? marks.link(targets.get(node.identifier) ?? '') : UNMARKED;
}

/** Neighbouring nodes; tags of HTML are nodes of their own, and those that have no end apply to nothing. */
function textOfAll(nodes: readonly Nodes[]): string {
  let text = '';
  const open: { name: string; before: string }[] = [];
  for (const node of nodes) {
    const [, slash, tag = ''] = (node.type === 'html' && LOOK.exec(node.value)) || [];
    const name = tag.toLowerCase();
    if (slash === '') {
      open.push({ name, before: text });
      text = '';
    } else if (slash === undefined || open.at(-1)?.name !== name) text += inlineText(node);
    else text = (open.at(-1)?.before ?? '') + looked(name, text, open.pop()?.before ?? '');
  }
  return open.map(({ before }) => before).join('') + text;
}

function looked(name: string, text: string, before: string): string {
  if (name === 'sup') return raised(text);
  if (name === 'rt') return `(${text})`;
  if (name === 'rp') return '';
  return name === 'sub' ? lowered(text, before.slice(-2)) : `${marks.struck.begin}${text}${marks.struck.end}`;
}

/** Blocks that no item of a list can hold on one line. */
const NOT_IN_ITEM = new Set(['code', 'table', 'heading']);
/** What has such blocks below it. */
const blocked = new Set<Nodes>();

function findBlocked(node: Nodes): boolean {
  // HTML and code within a line are parts of its text.
  if (node.type === 'paragraph') return false;
  // A comment shows nothing.
  if (node.type === 'html') return htmlElements(parseHtml(node.value)).length > 0;
  if (!('children' in node)) return NOT_IN_ITEM.has(node.type);
  let isBlocked = NOT_IN_ITEM.has(node.type);
  for (const child of node.children) if (findBlocked(child)) isBlocked = true;
  if (isBlocked) blocked.add(node);
  return isBlocked;
}

/** An item with such blocks ends the list, as in HTML: its elements stand by themselves, behind its number. */
function listElements(list: List): FlowElement[] {
  const found: FlowElement[] = [];
  let items: ListItem[] = [];
  const endList = (): void => {
    if (items.length > 0) found.push({ type: 'list', items });
    items = [];
  };
  for (const [index, item] of list.children.entries()) {
    if (!blocked.has(item)) {
      for (const each of itemsOf(list, item, index, 0)) items.push(each);
      continue;
    }
    endList();
    const marker = list.ordered ? markerOf(list, index) : '';
    const sign = `${marker} ${typeof item.checked === 'boolean' ? (item.checked ? '☒' : '☐') : ''}`.trim();
    const [first, ...others] = joinHtml(item.children).flatMap(elementsOf);
    if (first?.type === 'paragraph') found.push({ ...first, content: `${sign} ${first.content}`.trim() });
    else found.push({ type: 'paragraph', content: sign }, ...(first ? [first] : []));
    for (const element of others) found.push(element);
  }
  endList();
  return found;
}

const markerOf = ({ ordered, start }: List, index: number): string =>
  ordered ? `${(start ?? 1) + index}.` : '-';

/** An item, and those of the lists in it. */
function itemsOf(list: List, item: List['children'][number], index: number, depth: number): ListItem[] {
  const own = item.children.filter(({ type }) => type !== 'list').map(textOf);
  const nested = item.children.flatMap((child) =>
    child.type === 'list' ? child.children.flatMap((each, at) => itemsOf(child, each, at, depth + 1)) : [],
  );
  const box = typeof item.checked === 'boolean' && { checked: item.checked };
  return [{ marker: markerOf(list, index), text: own.filter(Boolean).join(' '), depth, ...box }, ...nested];
}

const root = fromMarkdown(workerData as string, {
  // One tilde is that of H~2~O and of 5~10.
  extensions: [gfm({ singleTilde: false })],
  mdastExtensions: [gfmFromMarkdown()],
});
findBlocked(root);
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- of a thread, not of a window
parentPort?.postMessage(markdownElements(root));
