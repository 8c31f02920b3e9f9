import type { OpenDocument } from '../opened-document.ts';
import { flowDocument } from '../flow/flow-document.ts';
import { dateOf, shortText } from '../markup/core-properties.ts';
import { descendants, type MarkupElement, parseHtml, textOf } from '../markup/parse-markup.ts';
import { decodeMarkup } from '../text/decode-text.ts';
import { readText } from '../text/open-text.ts';
import { htmlElements } from './html-elements.ts';

/** @throws UnreadableDocument */
export async function openHtml(path: string): Promise<OpenDocument> {
  const { text, ...facts } = await readText(path, (bytes) => decodeMarkup(bytes));
  const root = parseHtml(text);
  const [title] = descendants(root, 'title');
  return flowDocument({
    pages: [htmlElements(root)],
    title: shortText(textOf(title)),
    author: metaOf(root, 'author'),
    createdAt: dateOf(metaOf(root, 'date') ?? metaOf(root, 'dcterms.created')),
    ...facts,
  });
}

function metaOf(root: MarkupElement, name: string): string | null {
  for (const { attributes } of descendants(root, 'meta'))
    if (attributes['name']?.toLowerCase() === name) return shortText(attributes['content'] ?? '');
  return null;
}
