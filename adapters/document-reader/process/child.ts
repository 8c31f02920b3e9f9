/**
 * A reader process: handles one task at a time for its parent, and may be killed at any time. It has no secrets, and keeps
 * only the document that it read last, as the next task is mostly for the same one.
 */
import { stat, writeFile } from 'node:fs/promises';
import { UnreadableDocument } from '../document-reader.ts';
import { openDocument } from '../open-document.ts';
import type { OpenDocument } from '../opened-document.ts';
import { pictureOf } from '../recognised/picture-of.ts';
import type { OpenedFile, ReadReply, ReadRequest, TaskName, Tasks } from './messages.ts';

let open: { key: string; document: OpenDocument } | undefined;

process.title = 'darkroom-reader';
// Only the parent ends this process: a Ctrl-C to the whole process group must not interrupt what is being drained.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
process.on('message', (request) => void answer(request as ReadRequest));
// The engine may reject in the background what was cancelled; the task that it belongs to has its own answer.
process.on('unhandledRejection', () => undefined);

// When memory runs out, Linux should kill the reader, not a worker or the database.
await writeFile('/proc/self/oom_score_adj', '1000').catch(() => undefined);

async function answer(request: ReadRequest): Promise<void> {
  process.send?.(await handle(request));
}

async function handle(request: ReadRequest): Promise<ReadReply> {
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
