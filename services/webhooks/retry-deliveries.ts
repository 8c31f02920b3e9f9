import type { EntityManager } from '@mikro-orm/postgresql';
import { EncryptionKeyUnknown } from '../../adapters/encryption/secret-cipher.ts';
import { WebhookDelivery } from '../../db/entities/webhooks/webhook-delivery.ts';
import { WebhookEvent } from '../../db/entities/webhooks/webhook-event.ts';
import { WebhookSubscription } from '../../db/entities/webhooks/webhook-subscription.ts';
import { delayOfNextAttempt, MAX_SENDING } from '../../domain/webhooks/delivery.ts';
import type { DeliveryTarget } from '../../temporal/contract/deliver-webhook.ts';
import type {
  DueAttempt,
  DueDeliveries,
  RetriedWebhook,
  RetryResult,
} from '../../temporal/contract/retry-webhook.ts';
import { readHealth } from './receiver-health.ts';
import { recordAttempts } from './record-attempt.ts';
import { attemptDelivery, type AttemptDeps } from './send-delivery.ts';
import { retriedBy } from './wake-retries.ts';

/** A delivery of which no attempt can be made is due again after this time. */
const POSTPONED_SECONDS = 60;

/**
 * The deliveries of a webhook that are due for a further attempt, also those whose first attempt was lost with its process.
 * Due times are compared with the clock of the database, by which all workers agree.
 */
export async function findDueDeliveries(em: EntityManager, webhook: RetriedWebhook): Promise<DueDeliveries> {
  const { condition, values } = retriedBy(webhook);
  const rows = await em.execute<(Omit<DueAttempt, 'tenantId'> & { waiting: number; dueInMs: number })[]>(
    `select d.id as "deliveryId", d.generation, e.type, d.attempt, d.waiting,
       ceil(1000 * extract(epoch from d.engine_due_at - now()))::float8 as "dueInMs"
     from (
       select d.id, d.generation, d.event_id, d.engine_due_at, d.sequence,
         d.attempts - d.attempts_before + 1 as attempt, (count(*) over ())::int as waiting
       from webhook_deliveries d
       where ${condition} and d.status in ('sending', 'retrying')
         and (d.engine_due_at <= now() or (d.status = 'retrying' and d.engine_due_at is not null))
       order by d.engine_due_at, d.sequence limit ?) as d
     join webhook_events e on e.id = d.event_id
     order by d.engine_due_at, d.sequence`,
    [...values, MAX_SENDING.aSubscription],
  );
  const due = rows.filter(({ dueInMs }) => dueInMs <= 0);
  const [next] = rows;
  return {
    due: due.map(({ deliveryId, generation, type, attempt }) => ({
      deliveryId,
      tenantId: webhook.tenantId,
      generation,
      type,
      attempt,
    })),
    waiting: next?.waiting ?? 0,
    ...(next && due.length === 0 && { nextInMs: next.dueInMs }),
  };
}

/**
 * Makes one attempt to deliver an event that is due, and records it. A retry after a crash may send the event again with the
 * same id, but never once the attempt has been recorded.
 *
 * @throws the reason of the signal
 */
export async function retryDelivery(
  em: EntityManager,
  deps: AttemptDeps,
  { deliveryId, tenantId, generation }: DeliveryTarget,
  signal: AbortSignal,
): Promise<RetryResult> {
  const [row] = await em.execute<Record<string, unknown>[]>(
    `select * from webhook_deliveries where id = ? and tenant_id = ? and generation = ?
       and status in ('sending', 'retrying') and coalesce(engine_due_at <= now(), true)`,
    [deliveryId, tenantId, generation],
  );
  if (!row) return { outcome: 'ended' };
  const delivery = em.map(WebhookDelivery, row);
  const subscription = await em.findOneOrFail(WebhookSubscription, delivery.subscriptionId);
  const event = await em.findOneOrFail(WebhookEvent, delivery.eventId);
  const isFailing = (await readHealth(em, subscription)).failingSince !== null;
  const failed = delivery.attempts - delivery.attemptsBefore + 1;
  try {
    const { outcome } = await attemptDelivery(
      em,
      deps,
      { delivery, subscription, isFailing, event },
      {
        retryAfterMs: delayOfNextAttempt(failed, Math.random()) ?? null,
        signal,
        record: async (success) => (await recordAttempts(em, [success])).size === 1,
      },
    );
    return { outcome };
  } catch (error) {
    if (!(error instanceof EncryptionKeyUnknown)) throw error;
    // Not a failure of the receiver.
    await postponeDelivery(em, { deliveryId, tenantId, generation });
    return { outcome: 'postponed' };
  }
}

/** Makes a delivery due again in a minute, if it is due: no attempt of it can be made for now, and others do not wait for it. */
export async function postponeDelivery(
  em: EntityManager,
  { deliveryId, tenantId, generation }: DeliveryTarget,
): Promise<void> {
  await em.execute(
    `update webhook_deliveries
     set next_attempt_at = now() + ? * interval '1 second', engine_due_at = now() + ? * interval '1 second'
     where id = ? and tenant_id = ? and generation = ?
       and status in ('sending', 'retrying') and coalesce(engine_due_at <= now(), true)`,
    [POSTPONED_SECONDS, POSTPONED_SECONDS, deliveryId, tenantId, generation],
  );
}
