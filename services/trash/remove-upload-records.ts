import type { EntityManager } from '@mikro-orm/postgresql';
import { FAILED_UPLOAD_DAYS } from '../../domain/limits.ts';

/** An upload may have ten thousand parts. */
const REMOVED_AT_ONCE = 50;

/** Of a record with this, the store may still hold something that only the record leads to. */
const CLEANED = 'clean_at is null';

/**
 * Removes the records of the direct uploads that became a file, or were found to be one that was there. Those by which
 * the store is still to be cleaned stay until it is, see forgetUpload.
 *
 * @returns how many rows, parts included
 */
export async function removeUploadsOfFile(tx: EntityManager, fileId: string): Promise<number> {
  const which = `select id from upload_intents where (file_id = ? or duplicate_of = ?) and ${CLEANED}`;
  return remove(tx, which, [fileId, fileId]);
}

/** Removes the record of a completed upload once its file is gone for good and the store is clean. */
export async function forgetUpload(em: EntityManager, uploadId: string): Promise<void> {
  const which = `select id from upload_intents i where id = ? and status = 'COMPLETED' and ${CLEANED}
    and not exists (select 1 from files where files.id = coalesce(i.duplicate_of, i.file_id))`;
  await remove(em, which, [uploadId]);
}

/**
 * Removes records of direct uploads that failed long ago, some at a time.
 *
 * @returns whether there may be more
 */
export async function removeFailedUploads(em: EntityManager): Promise<{ removed: number; more: boolean }> {
  const ids = await em.execute<{ id: string }[]>(
    `select id from upload_intents where status = 'FAILED' and ${CLEANED}
       and updated_at < now() - make_interval(days => ?) order by updated_at limit ?`,
    [FAILED_UPLOAD_DAYS, REMOVED_AT_ONCE],
  );
  if (ids.length > 0) {
    await em.execute(
      `delete from upload_intents where id in (${ids.map(() => '?').join(', ')})`,
      ids.map(({ id }) => id),
    );
  }
  return { removed: ids.length, more: ids.length === REMOVED_AT_ONCE };
}

async function remove(em: EntityManager, which: string, params: string[]): Promise<number> {
  const [counted] = await em.execute<{ rows: string }[]>(
    `with doomed as (${which}),
       parts as (delete from upload_parts where upload_id in (select id from doomed) returning 1),
       intents as (delete from upload_intents where id in (select id from doomed) returning 1)
     select (select count(*) from parts) + (select count(*) from intents) as rows`,
    params,
  );
  return Number(counted?.rows ?? 0);
}
