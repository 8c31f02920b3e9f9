import type { EntityManager } from '@mikro-orm/postgresql';
import type { WebhookAttempt } from '../../db/entities/webhooks/webhook-attempt.ts';
import { GONE, GONE_STATUS, FAILED_TOO_LONG, hasFailedTooLong } from '../../domain/webhooks/delivery.ts';
import type { DeliveryTarget } from '../../temporal/contract/deliver-webhook.ts';
import { recordAuditEvent } from '../audit-log/record-audit-event.ts';
import { storable } from '../shared/sql.ts';
import { disableSubscription } from './disable-subscription.ts';
import { lockSubscriptionRow } from './find-subscription.ts';
import { recordFailedAttempt } from './receiver-health.ts';

/** The outcome of an attempt; `ended` if the delivery was cancelled or has ended otherwise. */
export interface AttemptOutcome {
  outcome: 'delivered' | 'failed' | 'ended' | 'retry';
}

/** A finished attempt. */
export type FinishedAttempt = Omit<WebhookAttempt, 'deliveryId' | 'number'>;

/**
 * Logs attempts and updates their deliveries, unless those have ended. Rows are locked in the order of their
 * ids, as everywhere else, so that statements cannot deadlock.
 */
const RECORD = `with made as (
    select * from jsonb_to_recordset(?::jsonb) as made(
      delivery_id uuid, tenant_id uuid, generation int,
      status text, next_attempt_at timestamptz, ended_at timestamptz, engine_due_at timestamptz,
      started_at timestamptz, latency_ms int, status_code smallint, error text, answer text)),
  held as (
    select id from webhook_deliveries
    where id in (select delivery_id from made) and status in ('sending', 'retrying')
    order by id for no key update),
  moved as (
    update webhook_deliveries d
    set status = made.status, attempts = d.attempts + 1, next_attempt_at = made.next_attempt_at,
      ended_at = made.ended_at, engine_due_at = made.engine_due_at
    from made where d.id = made.delivery_id and d.id in (select id from held) and d.tenant_id = made.tenant_id
      and d.generation = made.generation and d.status in ('sending', 'retrying')
    returning d.id, d.attempts)
  insert into webhook_attempts (delivery_id, number, started_at, latency_ms, status_code, error, answer)
  select moved.id, moved.attempts, started_at, latency_ms, status_code, error, answer
  from moved join made on made.delivery_id = moved.id
  returning delivery_id as "deliveryId"`;

/** An attempt and its effect on the delivery. */
export interface AttemptRecord extends DeliveryTarget, FinishedAttempt {
  status: 'delivered' | 'retrying' | 'failed';
  nextAttemptAt?: Date | null;
  engineDueAt?: Date | null;
}

/**
 * Records attempts of different deliveries in one statement.
 *
 * @returns the ids of the updated deliveries; for one that was cancelled concurrently, nothing is recorded
 */
export async function recordAttempts(
  em: EntityManager,
  attempts: readonly AttemptRecord[],
): Promise<Set<string>> {
  const endedAt = new Date();
  const made = attempts.map((attempt) => ({
    delivery_id: attempt.deliveryId,
    tenant_id: attempt.tenantId,
    generation: attempt.generation,
    status: attempt.status,
    next_attempt_at: attempt.nextAttemptAt ?? null,
    ended_at: attempt.status === 'retrying' ? null : endedAt,
    engine_due_at: attempt.engineDueAt ?? null,
    started_at: attempt.startedAt,
    latency_ms: attempt.latencyMs,
    status_code: attempt.statusCode,
    error: storable(attempt.error),
    answer: storable(attempt.answer),
  }));
  const recorded = await em.execute<{ deliveryId: string }[]>(RECORD, [JSON.stringify(made)]);
  return new Set(recorded.map(({ deliveryId }) => deliveryId));
}

/**
 * Records a failed attempt. The subscription is disabled if its receiver is gone, or has been failing for too long.
 *
 * @param retryAfterMs delay of the next attempt; null after the last one
 */
export async function recordFailure(
  em: EntityManager,
  target: DeliveryTarget,
  attempt: FinishedAttempt,
  retryAfterMs: number | null,
): Promise<AttemptOutcome> {
  return em.fork().transactional(async (tx) => {
    const [row] = await tx.execute<{ subscription_id: string }[]>(
      'select subscription_id from webhook_deliveries where id = ? and tenant_id = ?',
      [target.deliveryId, target.tenantId],
    );
    if (!row) return { outcome: 'ended' };
    // Locked before the delivery, in the same order as when disabling a subscription, to avoid deadlocks.
    const subscription = await lockSubscriptionRow(tx, {
      id: row.subscription_id,
      tenantId: target.tenantId,
    });
    if (!subscription) return { outcome: 'ended' };
    const now = new Date();
    const failingSince = await recordFailedAttempt(tx, subscription, now);
    const isGone = attempt.statusCode === GONE_STATUS;
    const reason = isGone ? GONE : hasFailedTooLong(failingSince, now) ? FAILED_TOO_LONG : undefined;
    const nextAttemptAt =
      retryAfterMs === null || reason !== undefined ? null : new Date(now.getTime() + retryAfterMs);
    const next = nextAttemptAt
      ? ({ status: 'retrying', nextAttemptAt, engineDueAt: nextAttemptAt } as const)
      : // Due to notify the admins, see reconcile-delivery.ts.
        ({ status: 'failed', engineDueAt: reason === undefined ? null : now } as const);
    const recorded = await recordAttempts(tx, [{ ...target, ...attempt, ...next }]);
    if (recorded.size === 0) return { outcome: 'ended' };
    if (reason !== undefined && subscription.enabled) {
      await disableSubscription(tx, subscription, reason);
      const { id, tenantId } = subscription;
      const resource = { type: 'webhook', id };
      await recordAuditEvent(tx, { tenantId, type: 'webhook.disabled', resource, metadata: { reason } });
    }
    return { outcome: nextAttemptAt ? 'retry' : 'failed' };
  });
}
