import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { UnreadableDocument } from '../document-reader.ts';
import { flowDocument } from '../flow/flow-document.ts';
import type { FlowElement } from '../flow/paginate.ts';
import type { OpenDocument } from '../opened-document.ts';
import { readText } from '../text/open-text.ts';
import { textElements } from '../text/text-elements.ts';
import { readFrontMatter } from './front-matter.ts';
import { markdownElements } from './markdown-elements.ts';

/** A parser of Markdown needs far more memory than its text; what is longer is read as plain text. */
const LONGEST = 8 * 2 ** 20;

/** @throws UnreadableDocument */
export async function openMarkdown(path: string): Promise<OpenDocument> {
  const { body, fields, others } = readFrontMatter(await readText(path));
  const front = fields.map(([key, value]): FlowElement => ({
    type: 'key_value',
    content: `${key}: ${value}`,
    metadata: { key, value },
  }));
  if (others.length > 0) front.push({ type: 'paragraph', content: others.join('\n'), metadata: {} });
  const named = new Map(fields);
  return flowDocument({
    pages: [[...front, ...(body.length > LONGEST ? textElements(body) : parse(body))]],
    title: named.get('title') ?? null,
    author: named.get('author') ?? null,
  });
}

function parse(body: string) {
  try {
    return markdownElements(
      fromMarkdown(body, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] }),
    );
  } catch (cause) {
    // Nesting without end.
    throw new UnreadableDocument('damaged', 'The document cannot be read as Markdown.', { cause });
  }
}
