import type { EntityManager } from '@mikro-orm/postgresql';
import { DeletionReceipt } from '../../db/entities/trash/deletion-receipt.ts';
import { FileRemoval } from '../../db/entities/trash/file-removal.ts';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { UploadSessionItem } from '../../db/entities/upload-sessions/upload-session-item.ts';
import type { ItemOutcomeName } from '../../domain/upload-sessions/upload-session.ts';
import type { PurgeCandidate } from '../../temporal/contract/purge-files.ts';
import { FILE_VERSION, ITEM_OUTCOME, ITEMS_AND_FILES } from '../upload-sessions/count-files.ts';
import { lockFile } from '../files/lock-file.ts';
import { allMedia } from '../media/medium.ts';
import { failureOf } from '../upload-sessions/read-items.ts';
import { removeUploadsOfFile } from './remove-upload-records.ts';

/** The tables whose rows depend on a file and are counted when it is removed. A test compares them with the foreign keys. */
export function tablesOfFiles(): string[] {
  const ofMedia = allMedia().flatMap(({ ownTables }) => ownTables);
  return [...ofMedia, 'extractions', 'file_descriptions', 'file_timelines'];
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

/** Sessions keep counting the file with its last outcome, and their version does not decrease. */
async function settleItems(tx: EntityManager, file: StoredFile): Promise<void> {
  const found = await tx.execute<
    { session_id: string; index: number; outcome: ItemOutcomeName; version: string }[]
  >(
    `select i.session_id, i.index, ${ITEM_OUTCOME} as outcome, ${FILE_VERSION} + 1 as version
     from ${ITEMS_AND_FILES} where i.file_id = ? and f.id = i.file_id and i.purged_as is null`,
    [file.id],
  );
  for (const { session_id: sessionId, index, outcome, version } of found) {
    const item = await tx.findOneOrFail(UploadSessionItem, { sessionId, index });
    item.error = failureOf({ item, outcome, file }) ?? null;
    Object.assign(item, { purgedAs: outcome, purgedVersion: Number(version) });
  }
  await tx.flush();
}
