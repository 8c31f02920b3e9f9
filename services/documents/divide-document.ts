import { Worker } from 'node:worker_threads';
import { countTokens } from '../../adapters/models/count-tokens.ts';
import { chunkPages } from '../../domain/documents/chunking.ts';
import type { PageContent } from '../../domain/documents/page.ts';
import { toChunks, type NewChunk } from './to-chunks.ts';

/** The text of a document, to be divided. */
export interface DividedDocument {
  fileId: string;
  /** In order. */
  pages: readonly PageContent[];
  language: string | null | undefined;
}

/**
 * Divided within half a second; a thread takes as long to start. 10 MB take a minute, during which a process could do
 * nothing else, not even heartbeat.
 */
const INLINE_CHARACTERS = 100_000;

/**
 * The chunks of a document, in order. Long documents are divided in a thread of their own.
 *
 * @throws the reason of the signal
 */
export async function divideDocument(document: DividedDocument, signal: AbortSignal): Promise<NewChunk[]> {
  const characters = document.pages
    .flatMap(({ elements }) => elements)
    .reduce((sum, { content }) => sum + content.length, 0);
  return characters <= INLINE_CHARACTERS ? divide(document) : divideInThread(document, signal);
}

/** The same within this thread. */
export function divide({ fileId, pages, language }: DividedDocument): NewChunk[] {
  return toChunks(fileId, chunkPages(pages, countTokens), language);
}

async function divideInThread(document: DividedDocument, signal: AbortSignal): Promise<NewChunk[]> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<NewChunk[]>();
  const thread = new Worker(new URL('./divide-thread.ts', import.meta.url), {
    env: {},
    workerData: document,
  });
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  thread.once('message', resolve);
  thread.once('error', reject);
  thread.once('exit', () => reject(new Error('the thread ended before the document was divided')));
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', abort);
    await thread.terminate();
  }
}
