import type { EntityManager } from '@mikro-orm/postgresql';
import type { WebhookSubscription } from '../../db/entities/webhooks/webhook-subscription.ts';

/**
 * Disables a subscription whose row the caller has locked, and cancels its deliveries that have been admitted. The dispatch
 * cancels the pending ones.
 *
 * @param reason null if a user disables it
 * @returns whether some were cancelled, so that the workflow that retries them has nothing left to do
 */
export async function disableSubscription(
  tx: EntityManager,
  row: WebhookSubscription,
  reason: string | null,
): Promise<boolean> {
  const now = new Date();
  Object.assign(row, { enabled: false, disabledReason: reason, disabledAt: now, updatedAt: now });
  await tx.flush();
  const cancelled = await tx.execute<unknown[]>(
    `update webhook_deliveries
     set status = 'cancelled', ended_at = now(), next_attempt_at = null, engine_due_at = null
     where id in (
       select id from webhook_deliveries
       where tenant_id = ? and subscription_id = ? and status in ('sending', 'retrying')
       order by id for no key update)
     returning 1`,
    [row.tenantId, row.id],
  );
  return cancelled.length > 0;
}
