import { readFile, stat } from 'node:fs/promises';
import { type OpenDocument, UnreadableDocument } from '../opened-document.ts';
import { flowDocument } from '../flow/flow-document.ts';
import { LIMITS } from '../limits.ts';
import { type DecodedText, decodeText } from './decode-text.ts';
import { textElements } from './text-elements.ts';

/** Form feeds separate pages. @throws UnreadableDocument */
export async function openText(path: string): Promise<OpenDocument> {
  const { text, ...facts } = await readText(path);
  return flowDocument({ pages: text.split('\f').map(textElements), ...facts });
}

/** A larger share of control characters means binary content. */
const MOST_CONTROLS = 0.1;
/** Enough to tell. */
const SAMPLE = 64 * 1024;

/**
 * The text of a file. Line ends become `\n`; control characters and NULs are removed.
 *
 * @param decode for what may name its encoding
 * @throws UnreadableDocument for binary content, and for a text that is too long
 */
export async function readText(
  path: string,
  decode: (bytes: Uint8Array) => DecodedText = decodeText,
): Promise<{ text: string; notes: (string | undefined)[] }> {
  const { size } = await stat(path);
  if (size > LIMITS.textBytes) {
    throw new UnreadableDocument(
      'too_large',
      `The document has ${size} bytes of text, and at most ${LIMITS.textBytes} are read.`,
    );
  }
  const { text, note } = decode(await readFile(path));
  const sample = text.slice(0, SAMPLE);
  const controls = sample.match(/(?![\t-\r])\p{Cc}/gu)?.length ?? 0;
  if (controls > sample.length * MOST_CONTROLS)
    throw new UnreadableDocument('damaged', 'The document is not text.');
  const clean = text.replaceAll(/\r\n?/g, '\n').replaceAll(/(?![\t\n\f])[\p{Cc}\uFEFF]/gu, '');
  return { text: clean, notes: [note] };
}
