import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { WebhookEvent } from '../../db/entities/webhooks/webhook-event.ts';
import type { WebhookSubscription } from '../../db/entities/webhooks/webhook-subscription.ts';
import { AppError } from '../../domain/app-error.ts';
import { TEST_EVENT_TYPE } from '../../domain/webhooks/events.ts';
import type { Caller } from '../accounts/principal.ts';
import type { Engine } from '../../temporal/client.ts';
import { findDelivery, type DeliveryRecord } from './find-deliveries.ts';
import { lockSubscription } from './find-subscription.ts';
import { wakeRetries } from './wake-retries.ts';

/** Maximum number of deliveries that one request sends again. */
const REDELIVERED_AT_ONCE = 10_000;

/** Makes an ended delivery pending again, in its next generation. */
const REOPEN = `update webhook_deliveries
  set status = 'pending', generation = generation + 1, attempts_before = attempts,
    ended_at = null, next_attempt_at = null, engine_due_at = null`;

/** A delivery that a workflow of version 0.1 retries is taken from it, by a generation that it does not know. */
const ATTEMPT_AT_ONCE = `update webhook_deliveries
  set next_attempt_at = now(), engine_due_at = now(), generation = generation + (engine_due_at is null)::int`;

/**
 * Sends an event again whose delivery has ended, with the same id, so that its receiver recognises it. A
 * delivery that waits for its next attempt is attempted at once.
 *
 * @throws AppError NOT_FOUND, FORBIDDEN, WEBHOOK_DISABLED
 */
export async function redeliver(
  { em, engine }: { em: EntityManager; engine: Engine },
  caller: Caller,
  deliveryId: string,
): Promise<DeliveryRecord> {
  const { tenantId } = caller;
  const { delivery } = await findDelivery(em, tenantId, deliveryId);
  const subscription = await em.transactional(async (tx) => {
    const row = requireEnabled(await lockSubscription(tx, caller, delivery.subscriptionId));
    await tx.execute(`${REOPEN} where id = ? and status in ('delivered', 'failed', 'cancelled')`, [
      delivery.id,
    ]);
    await tx.execute(`${ATTEMPT_AT_ONCE} where id = ? and status = 'retrying'`, [delivery.id]);
    return row;
  });
  const changed = await findDelivery(em, tenantId, delivery.id);
  if (changed.delivery.status === 'retrying') await wakeRetries(engine, subscription);
  return changed;
}

/**
 * Sends all events again whose delivery failed or was cancelled since a time, oldest first, up to a limit per
 * request.
 *
 * @returns whether there are more
 * @throws AppError NOT_FOUND, FORBIDDEN, WEBHOOK_DISABLED
 */
export async function redeliverFailed(
  em: EntityManager,
  caller: Caller,
  subscriptionId: string,
  since: Date,
): Promise<{ redelivered: number; more: boolean }> {
  return em.transactional(async (tx) => {
    const { id } = requireEnabled(await lockSubscription(tx, caller, subscriptionId));
    const reopened: unknown[] = await tx.execute(
      `${REOPEN} where id in (
         select id from webhook_deliveries
         where subscription_id = ? and status in ('failed', 'cancelled') and ended_at >= ?
         order by sequence limit ?)
       returning 1`,
      [id, since, REDELIVERED_AT_ONCE],
    );
    return { redelivered: reopened.length, more: reopened.length === REDELIVERED_AT_ONCE };
  });
}

/**
 * Sends a test event to a subscription, regardless of its event types.
 *
 * @throws AppError NOT_FOUND, FORBIDDEN, WEBHOOK_DISABLED
 */
export async function sendTestEvent(
  em: EntityManager,
  caller: Caller,
  subscriptionId: string,
): Promise<DeliveryRecord> {
  const { tenantId } = caller;
  const deliveryId = await em.transactional(async (tx) => {
    const { id } = requireEnabled(await lockSubscription(tx, caller, subscriptionId));
    const createdAt = new Date();
    const event = { id: randomUUID(), tenantId, type: TEST_EVENT_TYPE, data: { webhook_id: id }, createdAt };
    await tx.insert(WebhookEvent, event);
    const delivery = randomUUID();
    await tx.execute(
      `insert into webhook_deliveries (id, tenant_id, subscription_id, event_id, status, created_at)
       values (?, ?, ?, ?, 'pending', ?)`,
      [delivery, tenantId, id, event.id, createdAt],
    );
    return delivery;
  });
  return findDelivery(em, tenantId, deliveryId);
}

function requireEnabled(subscription: WebhookSubscription): WebhookSubscription {
  if (subscription.enabled) return subscription;
  throw new AppError('WEBHOOK_DISABLED', 'the webhook is disabled; enable it first');
}
