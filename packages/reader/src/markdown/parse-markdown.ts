/** The thread that parses one Markdown document: some structures take the parser hours for a few kilobytes. */
import { parentPort, workerData } from 'node:worker_threads';
import type { List, Nodes, Root, RootContent } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { toString } from 'mdast-util-to-string';
import { gfm } from 'micromark-extension-gfm';
import { type ListItem, plainText } from '../document/element.ts';
import { tableOf } from '../flow/grid.ts';
import { type FlowElement, joinPairs } from '../flow/paginate.ts';
import { cleanText } from '../layout/plain-text.ts';

/** A tag, or a comment without tags in it. */
const TAG = /<[^<>]*>/g;
/** Elements whose text is code. */
const SCRIPT = /^<(?:script|style)\b/i;

/** The elements of a Markdown document. HTML is reduced to its text. */
function markdownElements(root: Root): FlowElement[] {
  return joinPairs(
    root.children
      .flatMap(elementsOf)
      .filter((element) => element.type === 'figure' || plainText(element) !== ''),
  );
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
      return [{ type: 'list', items: itemsOf(node, 0) }];
    case 'table':
      return tableOf(node.children.map((row) => row.children.map(textOf)));
    case 'blockquote':
      return node.children.flatMap(elementsOf);
    case 'footnoteDefinition':
      return [{ type: 'paragraph', content: textOf(node), role: 'footnote' }];
    case 'html':
      if (SCRIPT.test(node.value)) return [];
      return [{ type: 'paragraph', content: cleanText(node.value.replaceAll(TAG, ' ')).trim() }];
    default:
      return [];
  }
}

const textOf = (node: Nodes): string => cleanText(toString(node, { includeHtml: false })).trim();

function itemsOf(list: List, depth: number): ListItem[] {
  return list.children.flatMap((item, index): ListItem[] => {
    const own = item.children.filter(({ type }) => type !== 'list').map(textOf);
    const nested = item.children.flatMap((child) => (child.type === 'list' ? itemsOf(child, depth + 1) : []));
    const marker = list.ordered ? `${(list.start ?? 1) + index}.` : '-';
    const box = typeof item.checked === 'boolean' && { checked: item.checked };
    return [{ marker, text: own.join(' '), depth, ...box }, ...nested];
  });
}

const root = fromMarkdown(workerData as string, {
  extensions: [gfm()],
  mdastExtensions: [gfmFromMarkdown()],
});
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- of a thread, not of a window
parentPort?.postMessage(markdownElements(root));
