import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { WebhookDelivery } from '../../db/entities/webhooks/webhook-delivery.ts';
import type { WebhookEvent } from '../../db/entities/webhooks/webhook-event.ts';
import type { WebhookSubscription } from '../../db/entities/webhooks/webhook-subscription.ts';
import {
  admissible,
  admissibleOfTenant,
  allowance,
  hasFailedTooLong,
  type ReceiverHealth,
} from '../../domain/webhooks/delivery.ts';
import { lockSubscriptionRow } from './find-subscription.ts';
import { hostOf, readFailingHosts, readHealth, recordProbe } from './receiver-health.ts';

/** Deliveries cancelled in one statement. */
const CANCELLED_AT_ONCE = 5_000;
/** Subscriptions of a tenant that one pass visits, in addition to all regular ones. */
const SUBSCRIPTIONS_A_PASS = 40;
/** Counting more takes longer and tells no more. */
const MOST_COUNTED = 100_000;

/** An admitted delivery with the data for an attempt. */
export interface AdmittedDelivery {
  delivery: Pick<WebhookDelivery, 'id' | 'tenantId' | 'generation'>;
  subscription: WebhookSubscription;
  /** Whether its receiver has been failing, so that a success must be recorded. */
  isFailing: boolean;
  event: Omit<WebhookEvent, 'tenantId'>;
}

/** Takes the admitted deliveries. */
export interface Dispatch {
  /** Takes the deliveries of one subscription. Returns false if it can take no more for now. */
  deliver: (admitted: AdmittedDelivery[]) => Promise<boolean>;
  /** Time for attempts outside the engine, after which a workflow makes them. */
  leaseSeconds: number;
}

/**
 * Admits pending deliveries, oldest first, up to the concurrency limits of each subscription and tenant, and
 * cancels those of disabled subscriptions. Of a tenant with many subscriptions, such as those of single
 * requests, each pass visits a bounded subset. Safe to run concurrently in several processes.
 *
 * @returns the number of admitted deliveries
 */
export async function dispatchDeliveries(
  em: EntityManager,
  { deliver, leaseSeconds }: Dispatch,
): Promise<number> {
  let dispatched = 0;
  for (const { tenantId, sending } of await tenantsWithPending(em)) {
    if (admissibleOfTenant(sending) <= 0) continue;
    const waiting = await subscriptionsWithPending(em, tenantId);
    const failing = waiting.some(({ ofRequest }) => ofRequest)
      ? await readFailingHosts(em.fork(), tenantId)
      : new Map<string, ReceiverHealth>();
    for (const { id, ofRequest, url, waitingSince } of waiting) {
      const health = ofRequest ? failing.get(hostOf(url)) : undefined;
      const overdue = ofRequest && hasFailedTooLong(new Date(waitingSince), new Date());
      if (health && allowance(health, new Date()) <= 0 && !overdue) continue;
      const target = { tenantId, subscriptionId: id, leaseSeconds, overdue };
      const admitted = await em.fork().transactional((tx) => admit(tx, target));
      if (admitted.length === 0) continue;
      dispatched += admitted.length;
      if (!(await deliver(admitted))) return dispatched;
    }
  }
  return dispatched;
}

/** How many deliveries of all tenants wait for their first attempt, and for another; of each at most MOST_COUNTED. */
export async function countWaitingDeliveries(
  em: EntityManager,
): Promise<Record<'pending' | 'retrying', number>> {
  const most = (status: string) =>
    `(select count(*)::int from (select from webhook_deliveries where status = '${status}' limit ${MOST_COUNTED}) d)`;
  const [counts] = await em.execute<Record<'pending' | 'retrying', number>[]>(
    `select ${most('pending')} as pending, ${most('retrying')} as retrying`,
  );
  return counts ?? { pending: 0, retrying: 0 };
}

/** How many webhook subscriptions of all tenants are enabled, failing, or disabled by the service. */
export async function countSubscriptions(
  em: EntityManager,
): Promise<Record<'enabled' | 'failing' | 'disabled', number>> {
  const [counts] = await em.execute<Record<'enabled' | 'failing' | 'disabled', number>[]>(
    `select count(*) filter (where enabled and failing_since is null)::int as enabled,
       count(*) filter (where enabled and failing_since is not null)::int as failing,
       count(*) filter (where not enabled and disabled_reason is not null)::int as disabled
     from webhook_subscriptions where subject_id is null and deleted_at is null`,
  );
  return counts ?? { enabled: 0, failing: 0, disabled: 0 };
}

/** Tenants with pending deliveries in random order, with the number being sent; one index lookup each. */
async function tenantsWithPending(em: EntityManager): Promise<{ tenantId: string; sending: number }[]> {
  return em.execute(
    `with recursive waiting as (
       (select tenant_id as id from webhook_deliveries where status = 'pending' order by tenant_id limit 1)
       union all
       select (select tenant_id from webhook_deliveries
               where status = 'pending' and tenant_id > waiting.id order by tenant_id limit 1)
       from waiting where waiting.id is not null)
     select id as "tenantId",
       (select count(*)::int from webhook_deliveries d where d.tenant_id = waiting.id and d.status = 'sending') as sending
     from waiting where id is not null order by random()`,
  );
}

/**
 * The subscriptions of a tenant for one pass: all regular ones, so that none waits behind those of single
 * requests; then a bounded number of any kind, round robin from a random position.
 */
async function subscriptionsWithPending(em: EntityManager, tenantId: string): Promise<PendingSubscription[]> {
  const next = (after: string) =>
    `(select subscription_id from webhook_deliveries
      where tenant_id = ? and status = 'pending' ${after} order by subscription_id limit 1)`;
  const rows = await em.execute<PendingSubscription[]>(
    `with recursive waiting (id) as (
       select coalesce(${next('and subscription_id >= ?')}, ${next('')})
       union
       select coalesce(${next('and subscription_id > waiting.id')}, ${next('')})
       from waiting where waiting.id is not null),
     few as (select id from waiting where id is not null limit ${SUBSCRIPTIONS_A_PASS}),
     regular as (
       select id from webhook_subscriptions s
       where tenant_id = ? and subject_id is null and deleted_at is null and exists (
         select from webhook_deliveries d
         where d.tenant_id = s.tenant_id and d.subscription_id = s.id and d.status = 'pending')
       order by random()),
     turns as (
       select id, row_number() over () as turn from (select id from regular union all select id from few) as found)
     select s.id, s.url, s.subject_id is not null as "ofRequest", oldest.created_at as "waitingSince"
     from turns join webhook_subscriptions s on s.id = turns.id,
       lateral (
         select created_at from webhook_deliveries d
         where d.tenant_id = s.tenant_id and d.subscription_id = s.id and d.status = 'pending'
         order by sequence limit 1) as oldest
     order by turn`,
    [tenantId, randomUUID(), tenantId, tenantId, tenantId, tenantId],
  );
  return [...new Map(rows.map((row) => [row.id, row])).values()];
}

interface PendingSubscription {
  id: string;
  url: string;
  ofRequest: boolean;
  /** When its oldest pending event happened. */
  waitingSince: string;
}

interface AdmissionTarget {
  tenantId: string;
  subscriptionId: string;
  leaseSeconds: number;
  /** Its events have waited so long that they are cancelled if the receiver still fails. */
  overdue: boolean;
}

/** @returns the admitted deliveries */
async function admit(
  tx: EntityManager,
  { tenantId, subscriptionId, leaseSeconds, overdue }: AdmissionTarget,
): Promise<AdmittedDelivery[]> {
  // Serialises the admission of a tenant, so that the counts below stay true.
  await tx.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`webhooks/${tenantId}`]);
  const subscription = await lockSubscriptionRow(tx, { id: subscriptionId, tenantId });
  if (!subscription) return [];
  const { enabled, deletedAt, ordered, subjectId } = subscription;
  const health = await readHealth(tx, subscription);
  const now = new Date();
  if (!enabled || deletedAt || (overdue && allowance(health, now) <= 0)) {
    await cancelPending(tx, subscription);
    return [];
  }
  const [counts = { sending: 0, sendingOfTenant: 0 }] = await tx.execute<
    { sending: number; sendingOfTenant: number }[]
  >(
    `select count(*)::int as "sendingOfTenant",
       (count(*) filter (where ${subjectId ? 's.subject_id is not null' : 's.id = ?'}))::int as sending
     from webhook_deliveries d join webhook_subscriptions s on s.id = d.subscription_id
     where d.tenant_id = ? and d.status = 'sending'`,
    [...(subjectId ? [] : [subscriptionId]), tenantId],
  );
  const room = admissible({ ...health, ...counts }, now);
  if (room <= 0) return [];
  const admitted = await tx.execute<AdmittedRow[]>(
    `update webhook_deliveries d set status = 'sending', engine_due_at = now() + make_interval(secs => ?)
     from webhook_events e
     where e.id = d.event_id and d.id in (
       select id from webhook_deliveries d
       where tenant_id = ? and subscription_id = ? and status = 'pending' ${ordered ? FIRST_OF_ITS_KEY : ''}
       order by sequence limit ?)
     returning d.id, d.generation, d.event_id as "eventId", e.type, e.data, e.created_at as "createdAt"`,
    [leaseSeconds, tenantId, subscriptionId, room],
  );
  // The time matters only for failing receivers.
  const isFailing = health.failingSince !== null;
  if (admitted.length > 0 && isFailing) await recordProbe(tx, subscription, now);
  return admitted.map(({ id, generation, eventId, type, data, createdAt }) => ({
    delivery: { id, tenantId, generation },
    subscription,
    isFailing,
    event: { id: eventId, type, data, createdAt: new Date(createdAt) },
  }));
}

type AdmittedRow = Pick<WebhookDelivery, 'id' | 'generation' | 'eventId'> &
  Pick<WebhookEvent, 'type' | 'data'> & { createdAt: string };

/** Condition: no earlier event with the same order key is still to be delivered. */
const FIRST_OF_ITS_KEY = `and (order_key is null or not exists (
  select from webhook_deliveries e
  where e.subscription_id = d.subscription_id and e.order_key = d.order_key and e.sequence < d.sequence
    and e.status in ('pending', 'sending', 'retrying')))`;

/** Cancels one batch; the trigger on the status wakes the dispatch for the next. */
async function cancelPending(
  tx: EntityManager,
  { id, tenantId }: Pick<WebhookSubscription, 'id' | 'tenantId'>,
): Promise<void> {
  await tx.execute(
    `update webhook_deliveries set status = 'cancelled', ended_at = now() where id in (
       select id from webhook_deliveries
       where tenant_id = ? and subscription_id = ? and status = 'pending' limit ?)`,
    [tenantId, id, CANCELLED_AT_ONCE],
  );
}
