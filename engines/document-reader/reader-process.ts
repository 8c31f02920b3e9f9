/**
 * The module of a reader process, which handles one task at a time. It has no secrets, and keeps only the last document
 * open, as the next task is usually for the same one.
 */
import { stat, writeFile } from 'node:fs/promises';
import {
  type DocumentFacts,
  type DocumentFile,
  type OpenDocument,
  type PageBounds,
  type PageImage,
  type PageLook,
  type PagePicture,
  type PageRaster,
  type PageWithLines,
  type QuarterTurns,
  turnBack,
  UnreadableDocument,
  type UnreadableReason,
} from 'darkroom-reader';
import type { PageContent } from 'darkroom-reader/document';
import { openDocument, readCover } from 'darkroom-reader/open';

/** The tasks of a reader for one document. */
export interface Tasks {
  /** Only opens the document; the time limit of the following task depends on the page count. */
  open: { input: Record<string, never>; result: { pageCount: number; openingMs: number } };
  inspect: { input: Record<string, never>; result: DocumentFacts };
  readPages: {
    input: { profile: unknown; pageNumbers: readonly number[]; linesBelow: number | undefined };
    result: (PageContent | PageWithLines)[];
  };
  renderPage: { input: { pageNumber: number }; result: PageRaster };
  readAttachment: { input: { index: number }; result: Uint8Array };
  pageLooks: { input: { pageNumbers: readonly number[] }; result: PageLook[] };
  pagePicture: { input: { pageNumber: number }; result: PagePicture };
  extractPages: { input: { first: number; last: number }; result: Uint8Array };
  showPage: {
    input: { pageNumber: number; turns: QuarterTurns; maxDimension: number };
    result: PageImage;
  };
  drawPage: { input: { pageNumber: number; bounds: PageBounds }; result: PageImage };
  /** Null without one. */
  cover: { input: Record<string, never>; result: Uint8Array | null };
}
export type TaskName = keyof Tasks;

/** Parent to child: one task; the next only after the reply. */
export type ReadRequest = {
  [Name in TaskName]: { task: Name; source: DocumentFile; input: Tasks[Name]['input'] };
}[TaskName];

/** Child to parent. `failed`: a failure not caused by the document. The page count is that of an opened document. */
export type ReadReply =
  | { kind: 'done'; result: Tasks[TaskName]['result']; pageCount?: number }
  | { kind: 'unreadable'; reason: UnreadableReason; message: string }
  | { kind: 'failed'; message: string };

interface Opened {
  key: string;
  document: OpenDocument;
  /** Processor time that it took to open. */
  openingMs: number;
}

let open: Opened | undefined;

process.title = 'darkroom-reader';
// The engine may reject cancelled work in the background; the task's own reply reports the error.
process.on('unhandledRejection', () => undefined);

// When memory runs out, Linux should kill the reader, not a worker or the database.
await writeFile('/proc/self/oom_score_adj', '1000').catch(() => undefined);

export async function handle(request: ReadRequest): Promise<ReadReply> {
  try {
    if (request.task === 'cover') return { kind: 'done', result: await readCover(request.source) };
    const opened = await openedOf(request.source, 'profile' in request.input && request.input.profile);
    return { kind: 'done', result: await run(request, opened), pageCount: opened.document.pageCount };
  } catch (error) {
    if (error instanceof UnreadableDocument)
      return { kind: 'unreadable', reason: error.reason, message: error.message };
    // Unbounded recursion: the document nests deeper than any real one.
    if (error instanceof RangeError)
      return { kind: 'unreadable', reason: 'damaged', message: 'The document is nested too deeply.' };
    return { kind: 'failed', message: error instanceof Error ? error.message : String(error) };
  }
}

async function run(
  request: Exclude<ReadRequest, { task: 'cover' }>,
  { document, openingMs }: Opened,
): Promise<Tasks[TaskName]['result']> {
  if (request.task === 'open') return { pageCount: document.pageCount, openingMs };
  if (request.task === 'inspect') return document.inspect();
  if (request.task === 'readPages') {
    const { profile, pageNumbers, linesBelow } = request.input;
    return document.readPages(profile, pageNumbers, linesBelow);
  }
  if (request.task === 'drawPage') return drawingOf(document, request.input);
  if (request.task === 'readAttachment') {
    if (!document.readAttachment) throw new Error('the document has no attachments');
    return document.readAttachment(request.input.index);
  }
  if (request.task === 'pagePicture') {
    if (!document.pagePicture) throw new Error('only pages of a PDF have pictures');
    return document.pagePicture(request.input.pageNumber);
  }
  if (request.task === 'pageLooks') {
    if (!document.pageLooks) throw new Error('only pages of a PDF have fonts');
    return document.pageLooks(request.input.pageNumbers);
  }
  if (request.task === 'extractPages') {
    if (!document.extractPages) throw new Error('only pages of a PDF become a file');
    return document.extractPages(request.input.first, request.input.last);
  }
  const raster = await document.renderPage(request.input.pageNumber);
  return request.task === 'renderPage' ? raster : imageOf(raster, request.input);
}

/** The open document, unless its file has changed. */
async function openedOf(source: DocumentFile, profile: unknown): Promise<Opened> {
  const { size, mtimeMs, ino } = await stat(source.path);
  const key = JSON.stringify([source.path, source.type, size, mtimeMs, ino]);
  if (open?.key === key) return open;
  const before = open;
  open = undefined;
  await before?.document.close();
  const start = process.cpuUsage();
  const document = await openDocument(source, profile);
  const { user, system } = process.cpuUsage(start);
  open = { key, document, openingMs: Math.round((user + system) / 1000) };
  return open;
}

const QUALITY = 85;

/** Most readers show no page. */
const loadSharp = async () => (await import('sharp')).default;

/** Thin lines and small letters in colour stay apart, which the usual subsampling blends. */
const CRISP = { quality: 90, chromaSubsampling: '4:4:4' } as const;

async function drawingOf(
  document: OpenDocument,
  { pageNumber, bounds }: Tasks['drawPage']['input'],
): Promise<PageImage> {
  if (!document.drawPage) throw new Error('a document without a layout has no pages to draw');
  const { rgb, width, height } = await document.drawPage(pageNumber, bounds);
  const sharp = await loadSharp();
  const bytes = await sharp(rgb, { raw: { width, height, channels: 3 } })
    .jpeg(CRISP)
    .toBuffer();
  return { bytes, contentType: 'image/jpeg' };
}

/**
 * A rendered page as a JPEG.
 *
 * @param turns of the page, which may exceed the detected ones if its text was upside down
 * @param maxDimension longer side, in pixels
 */
async function imageOf(
  raster: PageRaster,
  { turns, maxDimension }: { turns: QuarterTurns; maxDimension: number },
): Promise<PageImage> {
  const { grey, width, height } = turnBack(raster, ((turns - raster.turns + 4) % 4) as QuarterTurns);
  const sharp = await loadSharp();
  const bytes = await sharp(grey, { raw: { width, height, channels: 1 } })
    .resize({ width: maxDimension, height: maxDimension, fit: 'inside', withoutEnlargement: true })
    .jpeg({ quality: QUALITY })
    .toBuffer();
  return { bytes, contentType: 'image/jpeg' };
}
