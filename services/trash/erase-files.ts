import type { EntityManager } from '@mikro-orm/postgresql';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { notFound } from '../../domain/app-error.ts';
import type { Caller } from '../accounts/principal.ts';
import { recordAuditEvent } from '../audit-log/record-audit-event.ts';
import { lockFile } from '../files/find-file.ts';
import { uuidArray } from '../files/folders/read-folders.ts';
import { rejectHeld } from './file-holds.ts';
import { lockRemovals, lockTree } from './lock-tree.ts';

/** Most files of one request to empty the trash. */
const AT_ONCE = 10_000;

/** A claimed file cannot be restored and is in no list; the next purge removes it. Files that are held stay. */
async function claim(tx: EntityManager, tenantId: string, ids: string[]): Promise<number> {
  const claimed: unknown[] = await tx.execute(
    `insert into file_removals as removal (file_id, began_at, object_keys, vectors)
     select id, now(), '{}', 0 from files where id = any(?::uuid[]) and deleted_at is not null
       and id not in (select held_files(?))
     on conflict (file_id) do update set began_at = coalesce(removal.began_at, excluded.began_at) returning 1`,
    [uuidArray(ids), tenantId],
  );
  return claimed.length;
}

/**
 * Claims a file in the trash, with the parts that went there with it, so that the next purge removes each for good, with a
 * receipt. Idempotent.
 *
 * @throws AppError NOT_FOUND for a file that is not in the trash; FILE_HELD
 */
export async function eraseFile(
  em: EntityManager,
  { tenantId, credential, ipAddress }: Caller,
  fileId: string,
): Promise<StoredFile & { deletedAt: Date }> {
  return em.transactional(async (tx) => {
    await lockRemovals(tx, tenantId, 'removals');
    const file = await lockFile(tx, tenantId, fileId);
    if (!file?.deletedAt) throw notFound('file');
    const tree = await lockTree(tx, tenantId, fileId);
    await rejectHeld(tx, fileId);
    await claim(tx, tenantId, tree);
    await recordAuditEvent(tx, {
      tenantId,
      type: 'file.erased',
      credential,
      ipAddress,
      resource: { type: 'file', id: fileId },
      metadata: { filename: file.filename, parts: tree.length - 1 },
    });
    return Object.assign(file, { deletedAt: file.deletedAt });
  });
}

/**
 * The same for all files in the trash of a tenant that are not held, a bounded number at a time.
 *
 * @returns how many were claimed, and whether there may be more
 */
export async function emptyTrash(
  em: EntityManager,
  { tenantId, credential, ipAddress }: Caller,
): Promise<{ erased: number; more: boolean }> {
  return em.transactional(async (tx) => {
    await lockRemovals(tx, tenantId, 'removals');
    const waiting = `from files
       where tenant_id = ? and deleted_at is not null
         and not exists (select from file_removals where file_id = files.id and began_at is not null)
         and id not in (select held_files(?))`;
    // Files that somebody is just changing are left to the next time: waiting for them, holding others, could deadlock.
    const trash = await tx.execute<{ id: string }[]>(`select id ${waiting} limit ? for update skip locked`, [
      tenantId,
      tenantId,
      AT_ONCE,
    ]);
    const erased = await claim(
      tx,
      tenantId,
      trash.map(({ id }) => id),
    );
    if (erased > 0) {
      const metadata = { files: erased };
      await recordAuditEvent(tx, { tenantId, type: 'trash.emptied', credential, ipAddress, metadata });
    }
    const [left] = await tx.execute<{ more: boolean }[]>(`select exists (select ${waiting}) as more`, [
      tenantId,
      tenantId,
    ]);
    return { erased, more: left?.more ?? false };
  });
}
