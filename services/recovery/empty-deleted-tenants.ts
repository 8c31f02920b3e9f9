import type { EntityManager } from '@mikro-orm/postgresql';
import { moveToTrash } from '../trash/delete-files.ts';

/** A sweep takes seconds, and is repeated. */
const AT_ONCE = 200;
/** An upload in progress may still end as a file: a direct upload is valid for seven days. */
const WATCHED_DAYS = 14;

/**
 * Moves a batch of files of deleted tenants to the trash; the purge removes them without waiting for the retention in
 * the trash. Work in progress ends, including documents being read, and its credits are refunded. Repeatable: files in
 * the trash are skipped.
 *
 * @returns how many
 */
export async function emptyDeletedTenants(em: EntityManager): Promise<number> {
  const files = await em.execute<{ id: string; tenant_id: string }[]>(
    `select f.id, f.tenant_id from tenants t cross join lateral (
       select id, tenant_id from files where tenant_id = t.id and deleted_at is null and not file_is_held(id) limit ?) f
     where t.deleted_at > now() - make_interval(days => ?) limit ?`,
    [AT_ONCE, WATCHED_DAYS, AT_ONCE],
  );
  for (const { id, tenant_id: tenantId } of files) await moveToTrash(em.fork(), tenantId, id, 'all');
  return files.length;
}
