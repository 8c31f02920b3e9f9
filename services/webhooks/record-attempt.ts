import type { EntityManager } from '@mikro-orm/postgresql';
import type { WebhookAttempt } from '../../db/entities/webhooks/webhook-attempt.ts';
import { WebhookSubscription } from '../../db/entities/webhooks/webhook-subscription.ts';
import { GONE, GONE_STATUS, HOPELESS, isHopeless } from '../../domain/webhooks/delivery.ts';
import type { AttemptOutcome, DeliveryTarget } from '../../temporal/contract/deliver-webhook.ts';
import { recordAuditEvent } from '../audit-log/record-audit-event.ts';
import { storable } from '../shared/sql.ts';
import { disableSubscription } from './disable-subscription.ts';
import { lockRow } from './find-subscription.ts';

/** An attempt that has ended. */
export type FinishedAttempt = Omit<WebhookAttempt, 'deliveryId' | 'number'>;

/** Adds an attempt to the log and moves its delivery, if that is still known to the engine. */
const RECORD = `with moved as (
    update webhook_deliveries
    set status = ?, attempts = attempts + 1, next_attempt_at = ?, ended_at = ?, engine_due_at = ?
    where id = ? and tenant_id = ? and generation = ? and status in ('sending', 'retrying')
    returning id, attempts, subscription_id)
  insert into webhook_attempts (delivery_id, number, started_at, latency_ms, status_code, error, answer)
  select id, attempts, ?::timestamptz, ?::int, ?::smallint, ?::text, ?::text from moved returning 1`;

interface NextState {
  status: 'delivered' | 'retrying' | 'failed';
  nextAttemptAt?: Date | null;
  engineDueAt?: Date | null;
}

/**
 * Records an attempt and its effect on the delivery.
 *
 * @returns false if the delivery was cancelled meanwhile, so that nothing was recorded
 */
export async function recordAttempt(
  em: EntityManager,
  { deliveryId, tenantId, generation }: DeliveryTarget,
  attempt: FinishedAttempt,
  { status, nextAttemptAt = null, engineDueAt = null }: NextState,
): Promise<boolean> {
  const { startedAt, latencyMs, statusCode, error, answer } = attempt;
  const endedAt = status === 'retrying' ? null : new Date();
  const recorded: unknown[] = await em.execute(RECORD, [
    status,
    nextAttemptAt,
    endedAt,
    engineDueAt,
    deliveryId,
    tenantId,
    generation,
    startedAt,
    latencyMs,
    statusCode,
    storable(error),
    storable(answer),
  ]);
  return recorded.length === 1;
}

/** A success ends the time for which the receiver was failing. */
export async function forgetFailures(em: EntityManager, subscriptionId: string): Promise<void> {
  await em.execute(
    'update webhook_subscriptions set failing_since = null where id = ? and failing_since is not null',
    [subscriptionId],
  );
}

/**
 * Records a failed attempt. The subscription is disabled if its receiver is gone, or has been failing for too long.
 *
 * @param retryAfterMs when the next attempt is due; null after the last one
 * @param byWorkflow whether its workflow made the attempt, and waits for the next one
 */
export async function recordFailure(
  em: EntityManager,
  target: DeliveryTarget,
  attempt: FinishedAttempt,
  { retryAfterMs, byWorkflow }: { retryAfterMs: number | null; byWorkflow: boolean },
): Promise<AttemptOutcome> {
  return em.fork().transactional(async (tx) => {
    const [row] = await tx.execute<{ subscription_id: string }[]>(
      'select subscription_id from webhook_deliveries where id = ? and tenant_id = ?',
      [target.deliveryId, target.tenantId],
    );
    if (!row) return { outcome: 'ended' };
    // Before the delivery, as whatever disables it: so they never wait for each other.
    await lockRow(tx, row.subscription_id);
    const subscription = await tx.findOneOrFail(WebhookSubscription, row.subscription_id);
    const now = new Date();
    subscription.failingSince ??= now;
    const isGone = attempt.statusCode === GONE_STATUS;
    const reason = isGone ? GONE : isHopeless(subscription.failingSince, now) ? HOPELESS : undefined;
    const nextAttemptAt =
      retryAfterMs === null || reason !== undefined ? null : new Date(now.getTime() + retryAfterMs);
    const next: NextState = nextAttemptAt
      ? { status: 'retrying', nextAttemptAt, engineDueAt: byWorkflow ? null : now }
      : // Admins hear of it, see reconcile-delivery.ts.
        { status: 'failed', engineDueAt: reason === undefined ? null : now };
    if (!(await recordAttempt(tx, target, attempt, next))) return { outcome: 'ended' };
    await tx.flush();
    if (reason !== undefined && subscription.enabled) {
      await disableSubscription(tx, subscription, reason);
      const { id, tenantId } = subscription;
      const resource = { type: 'webhook', id };
      await recordAuditEvent(tx, { tenantId, type: 'webhook.disabled', resource, metadata: { reason } });
    }
    return nextAttemptAt
      ? { outcome: 'retry', afterMs: nextAttemptAt.getTime() - now.getTime() }
      : { outcome: 'failed' };
  });
}
