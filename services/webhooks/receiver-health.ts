import type { EntityManager } from '@mikro-orm/postgresql';
import { FailingHost } from '../../db/entities/webhooks/failing-host.ts';
import type { WebhookSubscription } from '../../db/entities/webhooks/webhook-subscription.ts';
import type { ReceiverHealth } from '../../domain/webhooks/delivery.ts';

/** What tells the receiver of a subscription. */
type Receiver = Pick<WebhookSubscription, 'id' | 'tenantId' | 'url' | 'subjectId'>;

const WELL: ReceiverHealth = { failingSince: null, lastDispatchedAt: null };

/** The host of a webhook of a single request, which shares its health with others of the tenant. */
export function hostOf(url: string): string {
  return new URL(url).host;
}

/** The hosts of a tenant's webhooks of single requests that fail. */
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

/** Notes that a receiver that fails was given a delivery. */
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
 * Notes a failed attempt.
 *
 * @returns since when the attempts of this subscription have been failing
 */
export async function recordTrouble(em: EntityManager, subscription: Receiver, now: Date): Promise<Date> {
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

/** A success ends the time for which a receiver was failing. */
export async function forgetFailures(
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
