import type { EntityManager } from '@mikro-orm/postgresql';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import { filePrefix, placeOf } from '../../domain/object-keys.ts';
import type { PurgeCandidate } from '../../temporal/contract/purge-files.ts';
import { isBucketGone } from '../storage/explain-bucket-failure.ts';
import { findPurgeCandidate, noteObjects } from './delete-files.ts';
import { DeletionReceipt } from '../../db/entities/trash/deletion-receipt.ts';
import { FileRemoval } from '../../db/entities/trash/file-removal.ts';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { UploadSessionItem } from '../../db/entities/upload-sessions/upload-session-item.ts';
import type { ItemOutcomeName } from '../../domain/upload-sessions/upload-session.ts';
import {
  FILE_VERSION,
  ITEM_CANCELLED,
  ITEM_OUTCOME,
  ITEMS_AND_FILES,
} from '../upload-sessions/count-files.ts';
import { lockFile } from '../files/find-file.ts';
import { allMedia } from '../media/medium.ts';
import { failureOf } from '../upload-sessions/read-items.ts';
import type { VectorIndex } from '../../adapters/vector-index/vector-index.ts';
import { noteVectors } from '../media/index-entries.ts';
import { FAILED_UPLOAD_DAYS } from '../../domain/limits.ts';
import { NO_TEXT } from '../../domain/ask/answer.ts';

/**
 * Second step of a purge: removes everything stored for a file, including parts of incomplete uploads. Idempotent.
 *
 * @throws ObjectStoreUnavailable, and the AppError of a bucket of the tenant's own that cannot be used
 */
export async function removeFileObjects(
  { em, objects }: { em: EntityManager; objects: ObjectStore },
  target: PurgeCandidate,
): Promise<void> {
  const file = await findPurgeCandidate(em, target);
  if (!file) return;
  const prefix = filePrefix(placeOf(file.tenantId, file.objectKey), file.id);
  const keys = await listKeys(objects, prefix);
  if (!keys) return;
  await noteObjects(em, target.fileId, keys);
  for await (const upload of objects.listIncompleteUploads(prefix)) await objects.abortMultipart(upload);
  await objects.remove(keys);
}

/** Undefined if the whole bucket is gone: it was the tenant's own, with all objects in it. */
async function listKeys(objects: ObjectStore, prefix: string): Promise<string[] | undefined> {
  const keys: string[] = [];
  try {
    for await (const { key } of objects.list(prefix)) keys.push(key);
  } catch (error) {
    if (isBucketGone(error)) return undefined;
    throw error;
  }
  return keys;
}

/** The tables whose rows depend on a file and are counted when it is removed. A test compares them with the foreign keys. */
export function tablesOfFiles(): string[] {
  const ofMedia = allMedia().flatMap(({ ownTables }) => ownTables);
  return [
    ...ofMedia,
    'schema_extractions',
    'file_descriptions',
    'file_timelines',
    'file_shares',
    'reprocessing_files',
    'document_splits',
  ];
}

/**
 * Last step of a purge: removes the rows of a file and the records of the direct uploads that led to it, and writes the
 * receipt, in one transaction. Credits stay in the ledger, and the file's upload session still shows its outcome.
 * Idempotent.
 *
 * @returns false when it was already done
 */
export async function removeFileRows(
  em: EntityManager,
  { fileId, tenantId }: PurgeCandidate,
  now = new Date(),
): Promise<boolean> {
  return em.transactional(async (tx) => {
    const file = await lockFile(tx, tenantId, fileId);
    const removal = file && (await tx.findOne(FileRemoval, { fileId, beganAt: { $ne: null } }));
    if (!removal || !file.deletedAt) return false;
    await settleItems(tx, file);
    let rows = 1 + (await removeUploadsOfFile(tx, fileId));
    for (const table of tablesOfFiles()) {
      const gone: unknown[] = await tx.execute(`delete from ${table} where file_id = ? returning 1`, [
        fileId,
      ]);
      rows += gone.length;
    }
    rows += await removeAnswersFrom(tx, { fileId, tenantId });
    await tx.insert(DeletionReceipt, {
      fileId,
      tenantId,
      filename: file.filename,
      sha256: file.sha256,
      deletedAt: file.deletedAt,
      purgedAt: now,
      rows,
      objects: removal.objectKeys.length,
      vectors: removal.vectors,
    });
    // Last, because the tally row that a trigger updates must be the last lock of a transaction.
    await tx.nativeDelete(StoredFile, { id: fileId });
    return true;
  });
}

/**
 * Removes the answers that were looked for in a file, which quote it. One that is in progress only loses its passages from the
 * file, see endAnswer.
 */
async function removeAnswersFrom(tx: EntityManager, { fileId, tenantId }: PurgeCandidate): Promise<number> {
  const params = [tenantId, JSON.stringify([{ documentId: fileId }])];
  // First, because it waits for an answer that is just ending, which is then removed.
  await tx.execute(
    `update document_answers set passages = (
       select jsonb_agg(case when passage->>'documentId' = ? then passage || ?::jsonb else passage end order by at)
       from jsonb_array_elements(passages) with ordinality as each(passage, at))
     where tenant_id = ? and status = 'processing' and passages @> ?::jsonb`,
    [fileId, JSON.stringify(NO_TEXT), ...params],
  );
  const gone: unknown[] = await tx.execute(
    `delete from document_answers
     where tenant_id = ? and status <> 'processing' and passages @> ?::jsonb returning 1`,
    params,
  );
  return gone.length;
}

/** Sessions keep counting the file with its last outcome, and their version does not decrease. */
async function settleItems(tx: EntityManager, file: StoredFile): Promise<void> {
  const found = await tx.execute<
    { session_id: string; index: number; outcome: ItemOutcomeName; cancelled: boolean; version: string }[]
  >(
    `select i.session_id, i.index, ${ITEM_OUTCOME} as outcome, ${ITEM_CANCELLED} as cancelled, ${FILE_VERSION} + 1 as version
     from ${ITEMS_AND_FILES} where i.file_id = ? and f.id = i.file_id and i.purged_as is null`,
    [file.id],
  );
  for (const { session_id: sessionId, index, outcome, cancelled, version } of found) {
    const item = await tx.findOneOrFail(UploadSessionItem, { sessionId, index });
    item.error = failureOf({ item, outcome, cancelled, file }) ?? null;
    Object.assign(item, { purgedAs: outcome, purgedVersion: Number(version) });
  }
  await tx.flush();
}

/**
 * First step of a purge: removes leftover vectors of the files. Usually there are none, since the deletion removed
 * them. Idempotent.
 *
 * @throws VectorIndexError
 */
export async function removeFileVectors(
  { em, vectors, chunkVectors }: { em: EntityManager; vectors: VectorIndex; chunkVectors: VectorIndex },
  files: readonly PurgeCandidate[],
): Promise<void> {
  for (const index of [vectors, chunkVectors]) await removeFrom(index, em, files);
}

async function removeFrom(
  vectors: VectorIndex,
  em: EntityManager,
  files: readonly PurgeCandidate[],
): Promise<void> {
  for (const [tenantId, group] of Map.groupBy(files, (file) => file.tenantId)) {
    const fileIds: string[] = [];
    for (const file of group) if (await findPurgeCandidate(em, file)) fileIds.push(file.fileId);
    if ((await vectors.count({ tenantId, fileIds })) === 0) continue;
    for (const fileId of fileIds) {
      await noteVectors(em, fileId, await vectors.count({ tenantId, fileIds: [fileId] }));
    }
    await vectors.remove({ tenantId, fileIds });
  }
}

/** An upload may have ten thousand parts. */
const REMOVED_AT_ONCE = 50;

/** The store may hold data that is referenced only by an uncleaned record. */
const CLEANED = 'clean_at is null';

/**
 * Removes the records of the direct uploads and of the imports that became this file or turned out to be its duplicate.
 * Those still needed to clean the store stay until that is done, see forgetUpload.
 *
 * @returns how many rows, parts included
 */
async function removeUploadsOfFile(tx: EntityManager, fileId: string): Promise<number> {
  const which = `select id from upload_intents where (file_id = ? or duplicate_of = ?) and ${CLEANED}`;
  const imports: unknown[] = await tx.execute(
    'delete from image_imports where id = ? or duplicate_of = ? returning 1',
    [fileId, fileId],
  );
  return imports.length + (await remove(tx, which, [fileId, fileId]));
}

/** Removes the record of a completed upload once its file is purged and the store is clean. */
export async function forgetUpload(em: EntityManager, uploadId: string): Promise<void> {
  const which = `select id from upload_intents i where id = ? and status = 'COMPLETED' and ${CLEANED}
    and not exists (select 1 from files where files.id = coalesce(i.duplicate_of, i.file_id))`;
  await remove(em, which, [uploadId]);
}

/**
 * Removes the next batch of records of direct uploads and of imports that failed long ago.
 *
 * @returns whether there may be more
 */
export async function removeFailedUploads(em: EntityManager): Promise<{ removed: number; more: boolean }> {
  const uploads = await removeFailed(em, 'upload_intents', `status = 'FAILED' and ${CLEANED}`);
  const imports = await removeFailed(em, 'image_imports', `status = 'failed'`);
  return { removed: uploads + imports, more: Math.max(uploads, imports) === REMOVED_AT_ONCE };
}

async function removeFailed(em: EntityManager, table: string, failed: string): Promise<number> {
  const gone = await em.execute<unknown[]>(
    `delete from ${table} where id in (
       select id from ${table} where ${failed} and updated_at < now() - make_interval(days => ?)
       order by updated_at limit ?) returning 1`,
    [FAILED_UPLOAD_DAYS, REMOVED_AT_ONCE],
  );
  return gone.length;
}

async function remove(em: EntityManager, which: string, params: string[]): Promise<number> {
  const [counted] = await em.execute<{ rows: string }[]>(
    `with candidates as (${which}),
       parts as (delete from upload_parts where upload_id in (select id from candidates) returning 1),
       uploads as (delete from upload_intents where id in (select id from candidates) returning 1)
     select (select count(*) from parts) + (select count(*) from uploads) as rows`,
    params,
  );
  return Number(counted?.rows ?? 0);
}
