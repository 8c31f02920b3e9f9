import type { EntityManager } from '@mikro-orm/postgresql';
import { WebhookDelivery } from '../../db/entities/webhooks/webhook-delivery.ts';
import { WebhookSubscription } from '../../db/entities/webhooks/webhook-subscription.ts';
import { admissible } from '../../domain/webhooks/delivery.ts';
import { lockRow } from './find-subscription.ts';

/** Deliveries cancelled in one statement. */
const CANCELLED_AT_ONCE = 5_000;

/** What becomes of deliveries whose turn has come. */
export interface Dispatch {
  /** Begins with them. Returns false if no others can be taken now. */
  deliver: (admitted: WebhookDelivery[]) => Promise<boolean>;
  /** For how long they are not due at the engine. */
  leaseSeconds: number;
}

/**
 * Gives deliveries that wait as rows their turn, as many of each subscription and tenant as may be open at a time, oldest
 * first, and cancels those of disabled subscriptions. Safe to run from several processes at once.
 *
 * @returns how many
 */
export async function dispatchDeliveries(
  em: EntityManager,
  { deliver, leaseSeconds }: Dispatch,
): Promise<number> {
  let dispatched = 0;
  for (const id of await subscriptionsWithPending(em)) {
    const ids = await em.fork().transactional((tx) => admit(tx, id, leaseSeconds));
    if (ids.length === 0) continue;
    const admitted = await em.fork().find(WebhookDelivery, { id: { $in: ids } });
    dispatched += admitted.length;
    if (!(await deliver(admitted))) break;
  }
  return dispatched;
}

/** Deliveries of all tenants that wait as rows. */
export async function countPendingDeliveries(em: EntityManager): Promise<number> {
  const [counted] = await em.execute<{ pending: number }[]>(
    `select count(*)::int as pending from webhook_deliveries where status = 'pending'`,
  );
  return counted?.pending ?? 0;
}

/** One lookup in an index for each of them, however many deliveries wait. */
async function subscriptionsWithPending(em: EntityManager): Promise<string[]> {
  const rows = await em.execute<{ id: string }[]>(
    `with recursive waiting as (
       (select subscription_id as id from webhook_deliveries
        where status = 'pending' order by subscription_id limit 1)
       union all
       select (select subscription_id from webhook_deliveries
               where status = 'pending' and subscription_id > waiting.id order by subscription_id limit 1)
       from waiting where waiting.id is not null)
     select id from waiting where id is not null`,
  );
  return rows.map(({ id }) => id);
}

/** @returns the ids of the deliveries whose turn has come */
async function admit(tx: EntityManager, subscriptionId: string, leaseSeconds: number): Promise<string[]> {
  await lockRow(tx, subscriptionId);
  const subscription = await tx.findOne(WebhookSubscription, subscriptionId);
  if (!subscription) return [];
  const {
    enabled,
    deletedAt,
    ordered,
    tenantId,
    failingSince = null,
    lastDispatchedAt = null,
  } = subscription;
  if (!enabled || deletedAt) {
    await cancelPending(tx, subscriptionId);
    return [];
  }
  const [counts = { sending: 0, retrying: 0, sending_of_tenant: 0 }] = await tx.execute<
    { sending: number; retrying: number; sending_of_tenant: number }[]
  >(
    `select (count(*) filter (where subscription_id = ? and status = 'sending'))::int as sending,
       (count(*) filter (where subscription_id = ? and status = 'retrying'))::int as retrying,
       (count(*) filter (where status = 'sending'))::int as sending_of_tenant
     from webhook_deliveries where tenant_id = ? and status in ('sending', 'retrying')`,
    [subscriptionId, subscriptionId, tenantId],
  );
  const { sending, retrying, sending_of_tenant: sendingOfTenant } = counts;
  const now = new Date();
  const room = admissible({ failingSince, lastDispatchedAt, sending, retrying, sendingOfTenant }, now);
  if (room <= 0) return [];
  const admitted = await tx.execute<{ id: string }[]>(
    `update webhook_deliveries set status = 'sending', engine_due_at = now() + make_interval(secs => ?)
     where id in (
       select id from webhook_deliveries d
       where subscription_id = ? and status = 'pending' ${ordered ? FIRST_OF_ITS_KEY : ''}
       order by sequence limit ?)
     returning id`,
    [leaseSeconds, subscriptionId, room],
  );
  // Only a receiver that fails needs it.
  if (admitted.length > 0 && failingSince) {
    await tx.nativeUpdate(WebhookSubscription, { id: subscriptionId }, { lastDispatchedAt: now });
  }
  return admitted.map(({ id }) => id);
}

/** No earlier event of the same thing is still to be delivered. */
const FIRST_OF_ITS_KEY = `and (order_key is null or not exists (
  select from webhook_deliveries e
  where e.subscription_id = d.subscription_id and e.order_key = d.order_key and e.sequence < d.sequence
    and e.status in ('pending', 'sending', 'retrying')))`;

/** A batch of them; the trigger on their status has the dispatch come again for the next. */
async function cancelPending(tx: EntityManager, subscriptionId: string): Promise<void> {
  await tx.execute(
    `update webhook_deliveries set status = 'cancelled', ended_at = now() where id in (
       select id from webhook_deliveries where subscription_id = ? and status = 'pending' limit ?)`,
    [subscriptionId, CANCELLED_AT_ONCE],
  );
}
