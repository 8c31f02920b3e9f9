import { readFile, stat } from 'node:fs/promises';
import { type OpenDocument, UnreadableDocument } from '../opened-document.ts';
import { flowDocument } from '../flow/flow-document.ts';
import { LIMITS } from '../limits.ts';
import { textElements } from './text-elements.ts';

/** Form feeds separate pages. @throws UnreadableDocument */
export async function openText(path: string): Promise<OpenDocument> {
  return flowDocument({ pages: (await readText(path)).split('\f').map(textElements) });
}

/**
 * @param declared the encoding that the text itself names, if any
 * @throws UnreadableDocument
 */
export async function readText(
  path: string,
  declared?: (bytes: Uint8Array) => string | undefined,
): Promise<string> {
  const { size } = await stat(path);
  if (size > LIMITS.textBytes) {
    throw new UnreadableDocument(
      'too_large',
      `The document has ${size} bytes of text, and at most ${LIMITS.textBytes} are read.`,
    );
  }
  const bytes = await readFile(path);
  return decodeText(bytes, declared?.(bytes));
}

/** Enough to detect an encoding. */
const SAMPLE = 64 * 1024;
/** A larger share of control characters means binary content. */
const MOST_CONTROLS = 0.1;

/**
 * Decodes UTF-8 or UTF-16 with or without a byte order mark, or else the declared encoding, or else Windows-1252, a
 * superset of Latin-1. Line ends become `\n`; control characters and NULs are removed.
 *
 * @throws UnreadableDocument for binary content
 */
function decodeText(bytes: Uint8Array, declared?: string): string {
  const guessed = encodingOf(bytes);
  const decoder = (guessed === 'windows-1252' && decoderOf(declared)) || new TextDecoder(guessed);
  const text = decoder.decode(bytes);
  const sample = text.slice(0, SAMPLE);
  const controls = sample.match(/(?![\t-\r])\p{Cc}/gu)?.length ?? 0;
  if (controls > sample.length * MOST_CONTROLS)
    throw new UnreadableDocument('damaged', 'The document is not text.');
  return text.replaceAll(/\r\n?/g, '\n').replaceAll(/(?![\t\n\f])[\p{Cc}\uFEFF]/gu, '');
}

/** Undefined for an unknown encoding, and without one. */
function decoderOf(label: string | undefined): InstanceType<typeof TextDecoder> | undefined {
  try {
    return label === undefined ? undefined : new TextDecoder(label);
  } catch {
    return undefined;
  }
}

export function encodingOf(bytes: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252' {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  const sample = bytes.subarray(0, SAMPLE);
  // Most characters of most scripts have a NUL, or the same byte, as their upper half.
  const [even, odd] = [0, 1].map((start) => {
    let zeros = 0;
    for (let at = start; at < sample.length; at += 2) if (sample[at] === 0) zeros += 1;
    return zeros / Math.max(1, sample.length / 2);
  });
  if ((odd ?? 0) > 0.4 && (even ?? 0) < 0.1) return 'utf-16le';
  if ((even ?? 0) > 0.4 && (odd ?? 0) < 0.1) return 'utf-16be';
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return 'utf-8';
  } catch {
    return 'windows-1252';
  }
}
