import { recordAuditEvent } from '../audit-log/record-audit-event.ts';
import { outage } from '../shared/outage.ts';
import { createFindHalted } from './busy-documents.ts';
import { deleteFiles, type DeleteDeps } from './delete-files.ts';

/** Files of one sweep, of which each tenant and folder has a share. */
const AT_ONCE = 1000;
const OF_A_TENANT = 100;
/** More than its share, so that files that cannot be deleted now do not keep those behind them waiting. */
const OF_A_FOLDER = 200;
/** Files that are moved at once: few, so that requests find connections to the database. */
const LANES = 4;

/**
 * The files whose time is over. A tenant's backlog of any size takes a share of the page, and turns are taken. Held files,
 * and those of deleted folders, which are on their way already, are left out.
 */
const DUE = `with recursive concerned as (
    select id, retention_days from tenants where deleted_at is null and (retention_days > 0
      or id in (select tenant_id from folders where retention_days > 0 and deleted_at is null))
  ), place as (
    select id as tenant_id, null::uuid as folder_id, retention_days as days from concerned
    union all
    select tenant_id, f.id, coalesce(f.retention_days, concerned.retention_days)
    from concerned join folders f on f.tenant_id = concerned.id and f.parent_id is null and f.deleted_at is null
    union all
    select f.tenant_id, f.id, coalesce(f.retention_days, place.days)
    from place join folders f
      on f.tenant_id = place.tenant_id and f.parent_id = place.folder_id and f.deleted_at is null
  ), due as (
    select place.tenant_id, files.id from place cross join lateral (
      (select id from files
       where tenant_id = place.tenant_id and folder_id = place.folder_id and deleted_at is null
         and created_at < now() - make_interval(days => place.days)
         and coalesce(retained_from, created_at) < now() - make_interval(days => place.days)
         and not file_is_held(id)
       order by created_at, id limit ?)
      union all
      (select id from files
       where tenant_id = place.tenant_id and place.folder_id is null and folder_id is null and deleted_at is null
         and created_at < now() - make_interval(days => place.days)
         and coalesce(retained_from, created_at) < now() - make_interval(days => place.days)
         and not file_is_held(id)
       order by created_at, id limit ?)
    ) as files
    where place.days > 0
  ), shared as (
    select tenant_id, id, row_number() over (partition by tenant_id order by random()) as turn from due
  )
  select tenant_id, id from shared where turn <= ? order by turn, random() limit ?`;

/**
 * Moves files whose retention is over to the trash, each as by a request, until a deadline. Documents that are being read
 * wait for a later sweep.
 *
 * @param until milliseconds, as of `Date.now()`
 * @returns how many files were moved, and whether there may be more
 * @throws AggregateError of the failures, after all files were tried
 */
export async function applyRetention(
  deps: DeleteDeps,
  until: number,
): Promise<{ moved: number; more: boolean }> {
  const due = await deps.em.execute<{ tenant_id: string; id: string }[]>(DUE, [
    OF_A_FOLDER,
    OF_A_FOLDER,
    OF_A_TENANT,
    AT_ONCE,
  ]);
  const findHalted = createFindHalted(deps.engine);
  const movedOf = new Map<string, number>();
  const failures: unknown[] = [];
  const left = due.values();
  let tried = 0;
  const lane = async () => {
    for (const { tenant_id: tenantId, id } of left) {
      if (Date.now() >= until) return;
      tried += 1;
      try {
        const [deletion] = await deleteFiles({ ...deps, em: deps.em.fork() }, tenantId, [id], findHalted);
        if (deletion?.outcome === 'deleted') movedOf.set(tenantId, (movedOf.get(tenantId) ?? 0) + 1);
      } catch (error) {
        failures.push(error);
        if (outage(error)) return;
      }
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  for (const [tenantId, files] of movedOf) {
    await recordAuditEvent(deps.em, { tenantId, type: 'retention.applied', metadata: { files } });
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} files could not be moved`);
  const moved = [...movedOf.values()].reduce((sum, files) => sum + files, 0);
  return { moved, more: moved > 0 && (tried < due.length || due.length >= OF_A_TENANT) };
}
