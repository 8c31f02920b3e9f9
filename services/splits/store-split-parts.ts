import { DocumentSplit } from '../../db/entities/splits/document-split.ts';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { MAX_IMPORTED_BYTES } from '../../domain/limits.ts';
import { rangeText, type SplitPart } from '../../domain/splits.ts';
import { cleanFilename } from '../../domain/text.ts';
import type { DocumentReader, DocumentSource } from '../../engines/document-reader/document-reader.ts';
import type { SplitTarget } from '../../temporal/contract/split-document.ts';
import type { DocumentCache } from '../documents/document-cache.ts';
import { ingestPart, partId, type IngestPartDeps } from '../documents/ingest-part.ts';
import { FileGone } from '../processing/file-target.ts';
import { acknowledge } from '../shared/due.ts';
import { endSplit } from './end-split.ts';
import { filesOfParts, lockSplit } from './find-split.ts';

/** Parts of an attempt, within its time. */
const BATCH = 20;
const LONGEST_STEM = 200;

export interface StoreSplitPartsDeps extends IngestPartDeps {
  reader: DocumentReader;
  copies: DocumentCache;
}

/**
 * Makes the next parts of a document files that belong to it, and ends the split when none is left. May run again: a part
 * has the same id each time, and one that is a file already, of this split or an earlier one, stays as it is.
 *
 * @returns how many parts are left
 * @throws FileGone when the document was deleted; UnreadableDocument; AppError for what an upload would refuse
 */
export async function storeSplitParts(
  deps: StoreSplitPartsDeps,
  target: SplitTarget,
  signal: AbortSignal,
): Promise<number> {
  const { em, copies } = deps;
  const { splitId: id, tenantId } = target;
  const row = await em.findOne(DocumentSplit, { id, tenantId }, { refresh: true });
  if (row?.status !== 'processing') return 0;
  await acknowledge(em, DocumentSplit, row);
  const parent = await em.findOne(StoredFile, { id: row.fileId, tenantId, deletedAt: null });
  if (!parent) throw new FileGone('the document was deleted');
  const known = await filesOfParts(em, row);
  // Not those that it has stored, and somebody has deleted since.
  const missing = [...(row.parts ?? []).entries()].filter(
    ([at, part]) => at >= row.partsDone && !known.has(rangeText(part)),
  );
  const batch = missing.slice(0, BATCH);
  if (batch.length > 0)
    await copies.with(parent.objectKey, signal, async (path) => {
      const source = { path, type: 'pdf', tenantId, run: `${id} parts` } as const;
      for (const [at, part] of batch) {
        signal.throwIfAborted();
        await storePart(deps, { target, parent, part, at, source }, signal);
      }
    });
  const left = missing.length - batch.length;
  if (left === 0) await endSplit(em, target, { status: 'completed' });
  return left;
}

async function storePart(
  deps: StoreSplitPartsDeps,
  {
    target,
    parent,
    part,
    at,
    source,
  }: { target: SplitTarget; parent: StoredFile; part: SplitPart; at: number; source: DocumentSource },
  signal: AbortSignal,
): Promise<void> {
  const pages = rangeText(part);
  const stem = parent.filename.replace(/\.pdf$/i, '').slice(0, LONGEST_STEM);
  const isStored = await ingestPart(deps, parent, {
    fileId: partId(`${target.splitId} pages ${pages}`),
    filename: cleanFilename(`${stem} (${pages}).pdf`),
    declared: { type: 'application/pdf' },
    pages,
    // That of the document, which may have been uploaded directly.
    maxBytes: MAX_IMPORTED_BYTES,
    read: () => deps.reader.extractPages(source, part, signal),
    async payer(tx) {
      const row = await lockSplit(tx, target);
      if (row?.status !== 'processing') return undefined;
      row.partsDone = at + 1;
      return { apiKeyId: row.apiKeyId };
    },
  });
  if (!isStored) throw new FileGone('the document was deleted, or the split has ended');
}
