import type { EntityManager } from '@mikro-orm/postgresql';
import { FAILED_UPLOAD_DAYS } from '../../domain/limits.ts';

/** An upload may have ten thousand parts. */
const REMOVED_AT_ONCE = 50;

/** The store may hold data that only an uncleaned record leads to. */
const CLEANED = 'clean_at is null';

/**
 * Removes the records of the direct uploads and of the imports that became this file or turned out to be its duplicate.
 * Those still needed to clean the store stay until that is done, see forgetUpload.
 *
 * @returns how many rows, parts included
 */
export async function removeUploadsOfFile(tx: EntityManager, fileId: string): Promise<number> {
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
       intents as (delete from upload_intents where id in (select id from candidates) returning 1)
     select (select count(*) from parts) + (select count(*) from intents) as rows`,
    params,
  );
  return Number(counted?.rows ?? 0);
}
