import type { EntityManager } from '@mikro-orm/postgresql';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { notFound } from '../../domain/app-error.ts';
import type { Caller } from '../accounts/principal.ts';
import { recordAuditEvent } from '../audit-log/record-audit-event.ts';
import { lockFile } from '../files/find-file.ts';

/** Most files of one request to empty the trash. */
const AT_ONCE = 10_000;

/** A claimed file cannot be restored and is in no list; the next purge removes it. */
const CLAIM = `insert into file_removals as removal (file_id, began_at, object_keys, vectors)
  select id, now(), '{}', 0 from claimed
  on conflict (file_id) do update set began_at = coalesce(removal.began_at, excluded.began_at)`;

/**
 * Claims a file in the trash, so that the next purge removes it for good, with a receipt. Idempotent.
 *
 * @throws AppError NOT_FOUND for a file that is not in the trash
 */
export async function eraseFile(
  em: EntityManager,
  { tenantId, credential, ipAddress }: Caller,
  fileId: string,
): Promise<StoredFile & { deletedAt: Date }> {
  return em.transactional(async (tx) => {
    const file = await lockFile(tx, tenantId, fileId);
    if (!file?.deletedAt) throw notFound('file');
    await tx.execute(`with claimed as (select ?::uuid as id) ${CLAIM}`, [fileId]);
    await recordAuditEvent(tx, {
      tenantId,
      type: 'file.erased',
      credential,
      ipAddress,
      resource: { type: 'file', id: fileId },
      metadata: { filename: file.filename },
    });
    return Object.assign(file, { deletedAt: file.deletedAt });
  });
}

/**
 * The same for all files in the trash of a tenant, a bounded number at a time.
 *
 * @returns how many were claimed, and whether there may be more
 */
export async function emptyTrash(
  em: EntityManager,
  { tenantId, credential, ipAddress }: Caller,
): Promise<{ erased: number; more: boolean }> {
  return em.transactional(async (tx) => {
    const claimed: unknown[] = await tx.execute(
      `with claimed as (
         select id from files
         where tenant_id = ? and deleted_at is not null
           and not exists (select from file_removals where file_id = files.id and began_at is not null)
         order by id limit ? for update)
       ${CLAIM} returning 1`,
      [tenantId, AT_ONCE],
    );
    if (claimed.length > 0) {
      const metadata = { files: claimed.length };
      await recordAuditEvent(tx, { tenantId, type: 'trash.emptied', credential, ipAddress, metadata });
    }
    return { erased: claimed.length, more: claimed.length === AT_ONCE };
  });
}
