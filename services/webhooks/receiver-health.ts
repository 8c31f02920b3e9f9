import type { EntityManager } from '@mikro-orm/postgresql';
import { FailingHost } from '../../db/entities/webhooks/failing-host.ts';
import type { WebhookSubscription } from '../../db/entities/webhooks/webhook-subscription.ts';
import type { ReceiverHealth } from '../../domain/webhooks/delivery.ts';

/** The fields that identify the receiver of a subscription. */
type Receiver = Pick<WebhookSubscription, 'id' | 'tenantId' | 'url' | 'subjectId'>;

const WELL: ReceiverHealth = { failingSince: null, lastDispatchedAt: null };

/** The host of a webhook URL: webhooks of single requests share their health by host within a tenant. */
export function hostOf(url: string): string {
  return new URL(url).host;
}

/** The failing hosts among the receivers of a tenant's single requests, by host. */
export async function readFailingHosts(
  em: EntityManager,
  tenantId: string,
): Promise<Map<string, ReceiverHealth>> {
  const failing = await em.find(FailingHost, { tenantId }, { refresh: true });
  return new Map(failing.map((row) => [row.host, row]));
}

/** The health of the receiver of a subscription whose row is current. */
export async function readHealth(
  em: EntityManager,
  { tenantId, url, subjectId, failingSince, lastDispatchedAt }: WebhookSubscription,
): Promise<ReceiverHealth> {
  if (!subjectId) return { failingSince: failingSince ?? null, lastDispatchedAt: lastDispatchedAt ?? null };
  return (await em.findOne(FailingHost, { tenantId, host: hostOf(url) }, { refresh: true })) ?? WELL;
}

/** Records that a delivery was sent to a failing receiver. */
export async function recordProbe(em: EntityManager, subscription: Receiver, now: Date): Promise<void> {
  const { id, tenantId, url, subjectId } = subscription;
  await (subjectId
    ? em.execute('update webhook_failing_hosts set last_dispatched_at = ? where tenant_id = ? and host = ?', [
        now,
        tenantId,
        hostOf(url),
      ])
    : em.execute('update webhook_subscriptions set last_dispatched_at = ? where id = ?', [now, id]));
}

/**
 * Records a failed attempt.
 *
 * @returns the time since which the attempts of this subscription have been failing
 */
export async function recordFailedAttempt(
  em: EntityManager,
  subscription: Receiver,
  now: Date,
): Promise<Date> {
  const { id, tenantId, url, subjectId } = subscription;
  const [own] = await em.execute<{ since: string }[]>(
    `update webhook_subscriptions set failing_since = coalesce(failing_since, ?) where id = ?
     returning failing_since as since`,
    [now, id],
  );
  if (subjectId) {
    await em.execute(
      `insert into webhook_failing_hosts (tenant_id, host, failing_since, last_dispatched_at)
       values (?, ?, ?, ?) on conflict do nothing`,
      [tenantId, hostOf(url), now, now],
    );
  }
  return new Date(own?.since ?? now);
}

/** Records a success: the receiver is healthy again. */
export async function recordSuccess(
  em: EntityManager,
  { id, tenantId, url, subjectId }: Receiver,
): Promise<void> {
  if (subjectId) {
    await em.execute('delete from webhook_failing_hosts where tenant_id = ? and host = ?', [
      tenantId,
      hostOf(url),
    ]);
  }
  await em.execute(
    'update webhook_subscriptions set failing_since = null where id = ? and failing_since is not null',
    [id],
  );
}
