import type { EntityManager } from '@mikro-orm/postgresql';
import { UnreadableDocument } from 'darkroom-reader';
import { lengthOf } from 'darkroom-reader/document';
import { DocumentDetails } from '../../db/entities/documents/document-details.ts';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { DocumentSplit } from '../../db/entities/splits/document-split.ts';
import { AppError } from '../../domain/app-error.ts';
import type { FailureReason } from '../../domain/components.ts';
import { MAX_PARTS_OF_FILE, MAX_SPLIT_PARTS } from '../../domain/limits.ts';
import { rangeText, type SplitPart, type SplitProposal } from '../../domain/splits.ts';
import type { DocumentReader, DocumentSource } from '../../engines/document-reader/document-reader.ts';
import type { PageSigns, PageToSplit } from '../../engines/text-work/split/page-signs.ts';
import type { TextWork } from '../../engines/text-work/text-work.ts';
import type { SplitTarget } from '../../temporal/contract/split-document.ts';
import type { DocumentCache } from '../documents/document-cache.ts';
import { readPagesInOrder } from '../documents/read-document.ts';
import { FileGone } from '../processing/file-target.ts';
import { acknowledge } from '../shared/due.ts';
import { findShortage } from './check-credits.ts';
import { endSplit } from './end-split.ts';

/** Pages with fewer characters may be blank, or have a barcode. */
const SPARSE_CHARACTERS = 150;
/** Pages whose image is looked at: each takes a second of a processor. */
const MOST_PICTURES = 500;

interface PlanSplitDeps {
  em: EntityManager;
  text: TextWork;
  reader: DocumentReader;
  copies: DocumentCache;
}

/**
 * Finds the documents in a document by rules, unless the parts are known, and ends a split that has nothing to store. May
 * run again.
 *
 * @returns how many parts are to be stored
 * @throws FileGone, and the errors of TextWork
 */
export async function planSplit(
  deps: PlanSplitDeps,
  target: SplitTarget,
  signal: AbortSignal,
): Promise<number> {
  const { em } = deps;
  const { splitId: id, tenantId } = target;
  const row = await em.findOne(DocumentSplit, { id, tenantId }, { refresh: true });
  if (!row) return 0;
  await acknowledge(em, DocumentSplit, row);
  if (row.status !== 'processing') return 0;
  const parent = await em.findOne(StoredFile, { id: row.fileId, tenantId, deletedAt: null });
  if (!parent) throw new FileGone('the document was deleted');
  const found = row.parts
    ? { parts: row.parts, leftOut: row.leftOut }
    : await propose(deps, row, parent, signal);
  const tooMany = await excessOf(em, row, found.parts);
  if (tooMany) {
    const parts = found.parts.slice(0, MAX_SPLIT_PARTS);
    const status = row.dryRun ? 'completed' : 'failed';
    await endSplit(em, target, { status, error: tooMany }, { ...found, parts });
    return 0;
  }
  if (row.dryRun || (row.byRules && found.parts.length < 2)) {
    await endSplit(em, target, { status: 'completed' }, found);
    return 0;
  }
  const shortage = await findShortage(em, parent, found.parts);
  if (shortage !== undefined) {
    const error = { code: 'QUOTA_EXHAUSTED', message: shortage };
    await endSplit(em, target, { status: 'failed', error }, found);
    return 0;
  }
  await em.nativeUpdate(DocumentSplit, { id, status: 'processing' }, { ...found, updatedAt: new Date() });
  return found.parts.length;
}

/** Why there are more parts than may be stored; undefined if there are not. */
async function excessOf(
  em: EntityManager,
  { tenantId, fileId, dryRun }: DocumentSplit,
  parts: readonly SplitPart[],
): Promise<FailureReason | undefined> {
  const code = 'TOO_MANY_PARTS';
  const { length } = parts;
  if (length > MAX_SPLIT_PARTS)
    return {
      code,
      message: `the rules find ${length} documents; at most ${MAX_SPLIT_PARTS} are divided at a time, so give ranges`,
    };
  if (dryRun) return undefined;
  const parentPages = { $ne: null, $nin: parts.map(rangeText) };
  const others = await em.count(StoredFile, { tenantId, parentFileId: fileId, parentPages, deletedAt: null });
  if (others + length <= MAX_PARTS_OF_FILE) return undefined;
  const message = `a document is divided into at most ${MAX_PARTS_OF_FILE} files by all of its splits; delete some of them first`;
  return { code, message };
}

async function propose(
  { em, text, reader, copies }: PlanSplitDeps,
  { id, fileId, tenantId, keepSeparators }: DocumentSplit,
  { objectKey }: StoredFile,
  signal: AbortSignal,
): Promise<SplitProposal> {
  return copies.with(objectKey, signal, async (path) => {
    const source = { path, type: 'pdf', tenantId, run: `${id} plan` } as const;
    const see = createPageViewer({ reader, source, signal });
    const signs: PageSigns[] = [];
    for await (const pages of readPagesInOrder(em, fileId)) {
      const read = pages.map(({ pageNumber, elements, status }) => ({
        pageNumber,
        elements,
        isRead: status === 'completed',
      }));
      signs.push(...(await text.signsOfPages({ pages: await see(read) }, { tenantId, signal })));
    }
    const { pageCount } = await em.findOneOrFail(DocumentDetails, { fileId }, { refresh: true });
    if (signs.length !== pageCount || signs.some(({ page }, at) => page !== at + 1))
      throw new AppError('WORK_IN_PROGRESS', 'the document is being read again; divide it once it is read');
    return text.proposeParts({ signs, keepSeparators }, { tenantId, signal });
  });
}

/** Adds to pages what their text does not say: how they look, and what is on those that have hardly any. */
export function createPageViewer({
  reader,
  source,
  signal,
}: {
  reader: DocumentReader;
  source: DocumentSource;
  signal: AbortSignal;
}) {
  let pictures = MOST_PICTURES;
  return async (pages: readonly Omit<PageToSplit, 'look' | 'picture'>[]): Promise<PageToSplit[]> => {
    const numbers = pages.map(({ pageNumber }) => pageNumber);
    const looks = (await reader.pageLooks(source, numbers, signal).catch(unlessUnreadable)) ?? [];
    const seen: PageToSplit[] = [];
    for (const [at, page] of pages.entries()) {
      const look = looks[at] ?? { width: 0, height: 0, fonts: [] };
      const characters = page.elements.reduce((sum, element) => sum + lengthOf(element), 0);
      const isSparse = page.isRead && characters <= SPARSE_CHARACTERS && pictures > 0;
      if (isSparse) pictures -= 1;
      const picture =
        isSparse && (await reader.pagePicture(source, page.pageNumber, signal).catch(unlessUnreadable));
      seen.push({ ...page, look, ...(picture && { picture }) });
    }
    return seen;
  };
}

/** Pages that cannot be looked at are judged by their text, and none of them is blank. */
function unlessUnreadable(error: unknown): undefined {
  if (!(error instanceof UnreadableDocument)) throw error;
}
