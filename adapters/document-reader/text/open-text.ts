import { readFile, stat } from 'node:fs/promises';
import { UnreadableDocument } from '../document-reader.ts';
import { flowDocument } from '../flow/flow-document.ts';
import { LIMITS } from '../limits.ts';
import type { OpenDocument } from '../opened-document.ts';
import { decodeText } from './decode-text.ts';
import { textElements } from './text-elements.ts';

/** A form feed ends a page. @throws UnreadableDocument */
export async function openText(path: string): Promise<OpenDocument> {
  return flowDocument({ pages: (await readText(path)).split('\f').map(textElements) });
}

/** @throws UnreadableDocument */
export async function readText(path: string): Promise<string> {
  const { size } = await stat(path);
  if (size > LIMITS.textBytes) {
    throw new UnreadableDocument(
      'too_large',
      `The document has ${size} bytes of text, and at most ${LIMITS.textBytes} are read.`,
    );
  }
  return decodeText(await readFile(path));
}
