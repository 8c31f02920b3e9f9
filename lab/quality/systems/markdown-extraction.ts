import type { List, Nodes, Root } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { toString } from 'mdast-util-to-string';
import { gfm } from 'micromark-extension-gfm';
import type { Extraction } from '../truth.ts';

export const parseMarkdown = (text: string): Root =>
  fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });

/** The extraction of a program from its Markdown output. */
export function markdownExtraction(markdown: string): Extraction {
  const extraction = { text: '', headings: [], tables: [], code: [] } satisfies Extraction as Extraction & {
    code: string[];
  };
  const lines: string[] = [];
  const visit = (node: Nodes): void => {
    if (node.type === 'heading') extraction.headings.push({ text: toString(node), level: node.depth });
    if (node.type === 'code') extraction.code.push(node.value);
    if (node.type === 'table')
      extraction.tables.push(node.children.map((row) => row.children.map((cell) => cellText(cell))));
    if (node.type === 'table')
      lines.push(...node.children.flatMap((row) => row.children.map((cell) => cellText(cell))));
    else if (node.type === 'heading' || node.type === 'paragraph' || node.type === 'code')
      lines.push(toString(node));
    else if ('children' in node) for (const child of (node as List).children) visit(child);
  };
  visit(parseMarkdown(markdown));
  return { ...extraction, text: lines.join('\n') };
}

const cellText = (cell: Nodes): string =>
  'children' in cell
    ? cell.children.map((child) => (child.type === 'html' ? ' ' : toString(child))).join('')
    : toString(cell);
