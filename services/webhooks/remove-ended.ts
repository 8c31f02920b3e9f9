import type { EntityManager } from '@mikro-orm/postgresql';
import { WEBHOOK_DELIVERY_DAYS } from '../../domain/limits.ts';

/** Bounds the locks and WAL of one statement. */
const AT_ONCE = 5_000;

const OVER_BEFORE = `now() - interval '${WEBHOOK_DELIVERY_DAYS} days'`;
const OVER = `select id from webhook_deliveries where ended_at < ${OVER_BEFORE} limit ${AT_ONCE}`;
const OF_DELETED = `select d.id from webhook_subscriptions s join webhook_deliveries d on d.subscription_id = s.id
  where s.deleted_at is not null and d.status in ('delivered', 'failed', 'cancelled') and d.engine_due_at is null
  limit ${AT_ONCE}`;

/**
 * Removes a bounded number of deliveries that are past their retention or whose subscription was deleted,
 * then their events; subscriptions without deliveries that were deleted, or that belong to single requests
 * and have ended or been disabled; and failing hosts to which nothing was sent for a day.
 *
 * @returns the number of removed rows
 */
export async function removeEndedWebhooks(em: EntityManager): Promise<number> {
  let removed = 0;
  for (const ended of [OVER, OF_DELETED]) removed += await removeDeliveries(em.fork(), ended);
  const subscriptions: unknown[] = await em.execute(
    `delete from webhook_subscriptions s where id in (
       select id from webhook_subscriptions
       where (deleted_at is not null or subject_ended_at < ${OVER_BEFORE}
           or (subject_id is not null and not enabled and disabled_at < ${OVER_BEFORE}))
         and not exists (select from webhook_deliveries d where d.subscription_id = webhook_subscriptions.id)
       limit ${AT_ONCE} for update skip locked)
     returning 1`,
  );
  // The health of a receiver a day ago is no longer meaningful.
  const hosts: unknown[] = await em.execute(
    `delete from webhook_failing_hosts where last_dispatched_at < now() - interval '1 day' returning 1`,
  );
  return removed + subscriptions.length + hosts.length;
}

async function removeDeliveries(em: EntityManager, ended: string): Promise<number> {
  return em.transactional(async (tx) => {
    const removed = await tx.execute<{ event_id: string }[]>(
      `delete from webhook_deliveries where id in (${ended}) returning event_id`,
    );
    if (removed.length === 0) return 0;
    await tx.execute(
      `delete from webhook_events e where id = any(?::uuid[])
         and not exists (select from webhook_deliveries d where d.event_id = e.id)`,
      [`{${removed.map(({ event_id: id }) => id).join(',')}}`],
    );
    return removed.length;
  });
}
