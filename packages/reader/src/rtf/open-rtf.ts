import { readFile, stat } from 'node:fs/promises';
import { flowDocument } from '../flow/flow-document.ts';
import { LIMITS } from '../limits.ts';
import { shortText } from '../markup/core-properties.ts';
import { type OpenDocument, UnreadableDocument } from '../opened-document.ts';
import { readRtf } from './read-rtf.ts';

const HEADER = '{\\rtf';

/** @throws UnreadableDocument */
export async function openRtf(path: string): Promise<OpenDocument> {
  const { size } = await stat(path);
  // Pictures are written as digits.
  if (size > LIMITS.inflatedBytes)
    throw new UnreadableDocument('too_large', `The document has ${size} bytes.`);
  const bytes = await readFile(path);
  if (!bytes.subarray(0, HEADER.length).equals(Buffer.from(HEADER)))
    throw new UnreadableDocument('damaged', 'The document is not of the type RTF.');
  const { title, author, created, ...content } = readRtf(bytes);
  return flowDocument({
    ...content,
    title: shortText(title),
    author: shortText(author),
    createdAt: dateOf(created),
  });
}

/** As ISO 8601; null without a year. */
function dateOf(created: ReadonlyMap<string, number>): string | null {
  const [year, month = 1, day = 1, hour = 0, minute = 0] = ['yr', 'mo', 'dy', 'hr', 'min'].map((each) =>
    created.get(each),
  );
  const made = new Date(Date.UTC(year ?? 0, month - 1, day, hour, minute));
  return year === undefined || Number.isNaN(made.getTime()) ? null : made.toISOString();
}
