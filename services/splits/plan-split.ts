import type { EntityManager } from '@mikro-orm/postgresql';
import { UnreadableDocument } from 'darkroom-reader';
import { lengthOf } from 'darkroom-reader/document';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { DocumentSplit } from '../../db/entities/splits/document-split.ts';
import { MAX_SPLIT_PARTS } from '../../domain/limits.ts';
import type { SplitProposal } from '../../domain/splits.ts';
import type { DocumentReader, DocumentSource } from '../../engines/document-reader/document-reader.ts';
import type { PageSigns, PageToSplit } from '../../engines/text-work/split/page-signs.ts';
import type { TextWork } from '../../engines/text-work/text-work.ts';
import type { SplitTarget } from '../../temporal/contract/split-document.ts';
import type { DocumentCache } from '../documents/document-cache.ts';
import { readPagesInOrder } from '../documents/read-document.ts';
import { FileGone } from '../processing/file-target.ts';
import { acknowledge } from '../shared/due.ts';
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
 * @throws the errors of TextWork
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
  const found = row.parts ? { parts: row.parts, leftOut: row.leftOut } : await propose(deps, row, signal);
  if (found.parts.length > MAX_SPLIT_PARTS) {
    const message = `the rules find ${found.parts.length} documents; at most ${MAX_SPLIT_PARTS} are divided at a time, so give ranges`;
    await endSplit(em, target, { status: 'failed', error: { code: 'TOO_MANY_PARTS', message } });
    return 0;
  }
  if (row.dryRun || (row.byRules && found.parts.length < 2)) {
    await endSplit(em, target, { status: 'completed' }, found);
    return 0;
  }
  await em.nativeUpdate(DocumentSplit, { id, status: 'processing' }, { ...found, updatedAt: new Date() });
  return found.parts.length;
}

async function propose(
  { em, text, reader, copies }: PlanSplitDeps,
  { fileId, tenantId }: DocumentSplit,
  signal: AbortSignal,
): Promise<SplitProposal> {
  const file = await em.findOne(StoredFile, { id: fileId, tenantId, deletedAt: null });
  if (!file) throw new FileGone('the document was deleted');
  return copies.with(file.objectKey, signal, async (path) => {
    const source = { path, type: 'pdf', tenantId } as const;
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
    return text.proposeParts({ signs }, { tenantId, signal });
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
    const looks = await reader.pageLooks(source, numbers, signal);
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

/** A page that cannot be drawn is not blank. */
function unlessUnreadable(error: unknown): undefined {
  if (!(error instanceof UnreadableDocument)) throw error;
}
