import { stat, writeFile } from 'node:fs/promises';
import type { PageContent } from '../../domain/documents/page.ts';
import {
  type DocumentFacts,
  type DocumentSource,
  type PagePicture,
  type PageRaster,
  UnreadableDocument,
  type UnreadableReason,
} from './document-reader.ts';
import type { QuarterTurns } from './layout/turn-box.ts';
import { openDocument } from './open-document.ts';
import type { OpenDocument } from './opened-document.ts';
import { pictureOf } from './recognised/picture-of.ts';

/** The tasks of a reader for one document. */
export interface Tasks {
  /** Only opens it, for the task that follows: how long that may take depends on the pages. */
  open: { input: Record<string, never>; result: { pageCount: number } };
  inspect: { input: Record<string, never>; result: DocumentFacts };
  readPages: { input: { profile: unknown; pageNumbers: readonly number[] }; result: PageContent[] };
  renderPage: { input: { pageNumber: number }; result: PageRaster };
  showPage: {
    input: { pageNumber: number; turns: QuarterTurns; maxDimension: number };
    result: PagePicture;
  };
}
export type TaskName = keyof Tasks;

/** The file to be read: the child does not learn whose it is. */
type OpenedFile = Pick<DocumentSource, 'path' | 'type'>;

/** Parent to child: one task; the next only after the reply. */
export type ReadRequest = {
  [Name in TaskName]: { task: Name; source: OpenedFile; input: Tasks[Name]['input'] };
}[TaskName];

/** Child to parent. `failed`: a failure not caused by the document. */
export type ReadReply =
  | { kind: 'done'; result: Tasks[TaskName]['result'] }
  | { kind: 'unreadable'; reason: UnreadableReason; message: string }
  | { kind: 'failed'; message: string };

/**
 * The module of a reader process, which handles one task at a time. It has no secrets, and keeps only the document that it
 * read last, as the next task is mostly for the same one.
 */

let open: { key: string; document: OpenDocument } | undefined;

process.title = 'darkroom-reader';
// The engine may reject in the background what was cancelled; the task that it belongs to has its own answer.
process.on('unhandledRejection', () => undefined);

// When memory runs out, Linux should kill the reader, not a worker or the database.
await writeFile('/proc/self/oom_score_adj', '1000').catch(() => undefined);

export async function handle(request: ReadRequest): Promise<ReadReply> {
  try {
    const document = await documentOf(request.source, 'profile' in request.input && request.input.profile);
    return { kind: 'done', result: await run(request, document) };
  } catch (error) {
    if (error instanceof UnreadableDocument)
      return { kind: 'unreadable', reason: error.reason, message: error.message };
    // Recursion without end: the document nests deeper than any that people make.
    if (error instanceof RangeError)
      return { kind: 'unreadable', reason: 'damaged', message: 'The document is nested too deeply.' };
    return { kind: 'failed', message: error instanceof Error ? error.message : String(error) };
  }
}

async function run(request: ReadRequest, document: OpenDocument): Promise<Tasks[TaskName]['result']> {
  if (request.task === 'open') return { pageCount: document.pageCount };
  if (request.task === 'inspect') return document.inspect();
  if (request.task === 'readPages')
    return document.readPages(request.input.profile, request.input.pageNumbers);
  const raster = await document.renderPage(request.input.pageNumber);
  return request.task === 'renderPage' ? raster : pictureOf(raster, request.input);
}

/** The open document, unless its file has changed. */
async function documentOf(source: OpenedFile, profile: unknown): Promise<OpenDocument> {
  const { size, mtimeMs, ino } = await stat(source.path);
  const key = JSON.stringify([source.path, source.type, size, mtimeMs, ino]);
  if (open?.key === key) return open.document;
  const before = open;
  open = undefined;
  await before?.document.close();
  const document = await openDocument(source, profile);
  open = { key, document };
  return document;
}
