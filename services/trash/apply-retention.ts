import type { EntityManager } from '@mikro-orm/postgresql';
import { recordAuditEvent } from '../audit-log/record-audit-event.ts';
import { outage } from '../shared/outage.ts';
import { createFindHalted } from './busy-documents.ts';
import { deleteFiles, type DeleteDeps } from './delete-files.ts';

/** Files of a tenant in one turn. */
const OF_A_TENANT = 100;
/** Of the oldest files of a folder, a random choice: files that cannot be deleted now keep none waiting. */
const OF_A_FOLDER = 200;
/** Files that are moved at once: few, so that requests find connections to the database. */
const LANES = 4;

/** Accounts with a rule, in random order: a sweep that runs out of time prefers none. */
const CONCERNED = `select id from tenants where deleted_at is null and (retention_days > 0
    or id in (select tenant_id from folders where retention_days > 0 and deleted_at is null))
  order by random()`;

/**
 * The files of an account whose time is over. Left out are those that are held, and those of deleted folders, which are on
 * their way already.
 */
const DUE = `with recursive place as (
    select null::uuid as folder_id, retention_days as days from tenants where id = ?
    union all
    select f.id, coalesce(f.retention_days, t.retention_days) from folders f join tenants t on t.id = f.tenant_id
    where f.tenant_id = ? and f.parent_id is null and f.deleted_at is null
    union all
    select f.id, coalesce(f.retention_days, place.days)
    from place join folders f on f.tenant_id = ? and f.parent_id = place.folder_id and f.deleted_at is null
  )
  select due.id from place cross join lateral (
    (select id from files
     where tenant_id = ? and folder_id = place.folder_id and deleted_at is null
       and created_at < now() - make_interval(days => place.days)
       and coalesce(retained_from, created_at) < now() - make_interval(days => place.days)
       and id not in (select held_files(?))
     order by created_at, id limit ?)
    union all
    (select id from files
     where tenant_id = ? and place.folder_id is null and folder_id is null and deleted_at is null
       and created_at < now() - make_interval(days => place.days)
       and coalesce(retained_from, created_at) < now() - make_interval(days => place.days)
       and id not in (select held_files(?))
     order by created_at, id limit ?)
  ) as due
  where place.days > 0 order by random() limit ?`;

/**
 * Moves files whose retention is over to the trash, each as by a request, until a deadline: of each account in turn a
 * page. Documents that are being read wait for a later sweep.
 *
 * @param until milliseconds, as of `Date.now()`
 * @returns how many files were moved, and whether there may be more
 * @throws AggregateError of the failures, after all files were tried
 */
export async function applyRetention(
  deps: DeleteDeps,
  until: number,
): Promise<{ moved: number; more: boolean }> {
  const concerned = await deps.em.execute<{ id: string }[]>(CONCERNED);
  const failures: unknown[] = [];
  const movedOf = new Map<string, number>();
  let turns = concerned.map(({ id }) => id);
  while (turns.length > 0 && Date.now() < until) {
    const again: string[] = [];
    for (const tenantId of turns) {
      const due = Date.now() < until ? await findDue(deps.em, tenantId) : undefined;
      const files = due ? await moveEach(deps, tenantId, due, until, failures) : 0;
      movedOf.set(tenantId, (movedOf.get(tenantId) ?? 0) + files);
      // A page of which nothing can be moved now is no reason to come back at once.
      if (!due || (files > 0 && due.length === OF_A_TENANT)) again.push(tenantId);
    }
    turns = again;
  }
  let moved = 0;
  for (const [tenantId, files] of movedOf) {
    moved += files;
    if (files > 0)
      await recordAuditEvent(deps.em, { tenantId, type: 'retention.applied', metadata: { files } });
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} files could not be moved`);
  return { moved, more: turns.length > 0 };
}

async function findDue(em: EntityManager, tenantId: string): Promise<string[]> {
  const rows = await em.execute<{ id: string }[]>(DUE, [
    tenantId,
    tenantId,
    tenantId,
    tenantId,
    tenantId,
    OF_A_FOLDER,
    tenantId,
    tenantId,
    OF_A_FOLDER,
    OF_A_TENANT,
  ]);
  return rows.map(({ id }) => id);
}

/** @returns how many files were moved to the trash */
async function moveEach(
  deps: DeleteDeps,
  tenantId: string,
  due: readonly string[],
  until: number,
  failures: unknown[],
): Promise<number> {
  const findHalted = createFindHalted(deps.engine);
  const left = due.values();
  let moved = 0;
  const lane = async () => {
    for (const id of left) {
      if (Date.now() >= until) return;
      try {
        const [deletion] = await deleteFiles({ ...deps, em: deps.em.fork() }, tenantId, [id], { findHalted });
        if (deletion?.outcome === 'deleted') moved += 1;
      } catch (error) {
        failures.push(error);
        if (outage(error)) return;
      }
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return moved;
}
