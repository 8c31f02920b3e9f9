import type { OpenDocument } from '../opened-document.ts';
import { flowDocument } from '../flow/flow-document.ts';
import { dateOf, shortText } from '../markup/core-properties.ts';
import { descendants, type MarkupElement, parseHtml, textOf } from '../markup/parse-markup.ts';
import { readText } from '../text/open-text.ts';
import { htmlElements } from './html-elements.ts';

/** The page must name its encoding in this many bytes, as browsers require. */
const DECLARED_WITHIN = 1024;
const DECLARED = /<(?:meta|\?xml)[^>]{0,200}?(?:charset|encoding)\s{0,9}=\s{0,9}["']?([\w.:-]{1,40})/i;

/** @throws UnreadableDocument */
export async function openHtml(path: string): Promise<OpenDocument> {
  const root = parseHtml(await readText(path, declaredEncoding));
  const [title] = descendants(root, 'title');
  return flowDocument({
    pages: [htmlElements(root)],
    title: shortText(textOf(title)),
    author: metaOf(root, 'author'),
    createdAt: dateOf(metaOf(root, 'date') ?? metaOf(root, 'dcterms.created')),
  });
}

function metaOf(root: MarkupElement, name: string): string | null {
  for (const { attributes } of descendants(root, 'meta'))
    if (attributes['name']?.toLowerCase() === name) return shortText(attributes['content'] ?? '');
  return null;
}

/** The encoding that a page names; it cannot be UTF-16, as the name was readable. */
function declaredEncoding(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, DECLARED_WITHIN)).toString('latin1');
  const name = DECLARED.exec(head)?.[1];
  return name === undefined || /^utf-?16/i.test(name) ? undefined : name;
}
