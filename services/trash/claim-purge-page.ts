import type { EntityManager } from '@mikro-orm/postgresql';
import type { PurgeCandidate, PurgeCursor, PurgePage } from '../../temporal/contract/purge-files.ts';

/** About 5 KB as a payload. */
const PAGE = 50;
/** Cancelled work may take minutes to notice a deletion; objects that it stores late must be found as well. */
const REST_MINUTES = 60;

/**
 * Claims the next page of files deleted before the given time, or with their tenant, and in the trash for at least an
 * hour. Claimed files cannot be restored. Among them are those that were claimed before: by a request to remove them for
 * good, or by a purge that did not finish.
 */
export async function claimPurgePage(
  em: EntityManager,
  { before, after }: { before: Date; after?: PurgeCursor },
): Promise<PurgePage> {
  return em.transactional(async (tx) => {
    const rows = await tx.execute<{ id: string; tenant_id: string; deleted_at: string }[]>(
      `select id, tenant_id, deleted_at::text as deleted_at from files
       where deleted_at < now() - make_interval(mins => ?)
         and (deleted_at < ?::timestamptz or tenant_id in (select id from tenants where deleted_at is not null)
           or id in (select file_id from file_removals where began_at is not null))
         and (deleted_at, id) > (?::timestamptz, ?::uuid)
       order by deleted_at, id limit ? for update`,
      [
        REST_MINUTES,
        before.toISOString(),
        after?.deletedAt ?? '-infinity',
        after?.fileId ?? '00000000-0000-0000-0000-000000000000',
        PAGE,
      ],
    );
    if (rows.length > 0) {
      await tx.execute(
        `insert into file_removals (file_id, began_at, object_keys, vectors)
         values ${rows.map(() => `(?, now(), '{}', 0)`).join(', ')}
         on conflict (file_id) do update set began_at = coalesce(file_removals.began_at, excluded.began_at)`,
        rows.map(({ id }) => id),
      );
    }
    const last = rows.length === PAGE ? rows.at(-1) : undefined;
    return {
      files: rows.map(({ id, tenant_id: tenantId }): PurgeCandidate => ({ fileId: id, tenantId })),
      ...(last && { after: { deletedAt: last.deleted_at, fileId: last.id } }),
    };
  });
}
