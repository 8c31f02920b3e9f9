import type { EntityManager } from '@mikro-orm/postgresql';
import { TRASH_DAYS } from '../../domain/limits.ts';
import { uuidArray } from '../files/folders/read-folders.ts';
import { BEFORE_ALL, sql } from '../shared/sql.ts';
import { tryLockRemovals } from './lock-tree.ts';
import type { PurgeCandidate, PurgeCursor, PurgePage } from '../../temporal/contract/purge-files.ts';

/** About 5 KB as a payload. */
const PAGE = 50;
/** Cancelled work may take minutes to notice a deletion; objects that it stores late must be found as well. */
const REST_MINUTES = 60;

/**
 * Claims the next page of files whose time in the trash is over, or whose tenant is deleted, and that are in the trash for
 * at least an hour. Claimed files cannot be restored. Among them are those that were claimed before: by a request to
 * remove them for good, or by a purge that did not finish. Held files are passed over. Those that
 * somebody is just changing are left to the next purge, as are all of an account in which something is just held or
 * restored: to wait for one while holding others could deadlock.
 *
 * @param before files deleted earlier are due, whatever time they were given; by default their own time counts
 */
export async function claimPurgePage(
  em: EntityManager,
  { before, after }: { before?: Date; after?: PurgeCursor },
): Promise<PurgePage> {
  return em.transactional(async (tx) => {
    const due = before
      ? sql`deleted_at < ${before.toISOString()}::timestamptz`
      : sql`coalesce(purge_at, deleted_at + make_interval(days => ${TRASH_DAYS})) < now()`;
    const rows = await tx.execute<{ id: string; tenant_id: string; deleted_at: string }[]>(
      sql`select id, tenant_id, deleted_at::text as deleted_at from files
       where deleted_at < now() - make_interval(mins => ${REST_MINUTES})
         and (${due} or tenant_id in (select id from tenants where deleted_at is not null)
           or id in (select file_id from file_removals where began_at is not null))
         and (deleted_at, id) > (${after?.deletedAt ?? '-infinity'}::timestamptz, ${after?.fileId ?? BEFORE_ALL}::uuid)
       order by deleted_at, id limit ${PAGE} for update skip locked`,
    );
    const locked = await tryLockRemovals(
      tx,
      rows.map(({ tenant_id: tenantId }) => tenantId),
    );
    // A statement of its own, which sees the holds that were set before the locks.
    const claimed = await tx.execute<{ file_id: string }[]>(
      `insert into file_removals (file_id, began_at, object_keys, vectors)
       select id, now(), '{}', 0 from files where id = any(?::uuid[]) and not file_is_held(id)
       on conflict (file_id) do update set began_at = coalesce(file_removals.began_at, excluded.began_at)
       returning file_id`,
      [uuidArray(rows.filter(({ tenant_id: tenantId }) => locked.has(tenantId)).map(({ id }) => id))],
    );
    const ids = new Set(claimed.map(({ file_id: id }) => id));
    const last = rows.length === PAGE ? rows.at(-1) : undefined;
    return {
      files: rows
        .filter(({ id }) => ids.has(id))
        .map(({ id, tenant_id: tenantId }): PurgeCandidate => ({ fileId: id, tenantId })),
      ...(last && { after: { deletedAt: last.deleted_at, fileId: last.id } }),
    };
  });
}
