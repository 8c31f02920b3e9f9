import type { EntityManager } from '@mikro-orm/postgresql';
import { AUDIT_LOG_MONTHS } from '../../domain/limits.ts';

const REMOVED_AT_ONCE = 5_000;

/**
 * Removes the next batch of entries of the audit log whose time is over.
 *
 * @returns whether there may be more
 */
export async function removeOldAuditEvents(em: EntityManager): Promise<{ removed: number; more: boolean }> {
  const removed: unknown[] = await em.execute(
    `delete from audit_events where id in (
       select id from audit_events where occurred_at < now() - make_interval(months => ?)
       order by occurred_at limit ?)
     returning 1`,
    [AUDIT_LOG_MONTHS, REMOVED_AT_ONCE],
  );
  return { removed: removed.length, more: removed.length === REMOVED_AT_ONCE };
}
