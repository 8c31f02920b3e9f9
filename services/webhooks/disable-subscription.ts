import type { EntityManager } from '@mikro-orm/postgresql';
import type { WebhookSubscription } from '../../db/entities/webhooks/webhook-subscription.ts';

/**
 * Disables a subscription whose row the caller has locked, and cancels its deliveries that have been handed
 * to the engine. The dispatch cancels the pending ones.
 *
 * @param reason null if a user disables it
 */
export async function disableSubscription(
  tx: EntityManager,
  row: WebhookSubscription,
  reason: string | null,
): Promise<void> {
  const now = new Date();
  Object.assign(row, { enabled: false, disabledReason: reason, disabledAt: now, updatedAt: now });
  await tx.flush();
  await tx.execute(
    `update webhook_deliveries
     set status = 'cancelled', ended_at = now(), next_attempt_at = null, engine_due_at = now()
     where id in (
       select id from webhook_deliveries
       where tenant_id = ? and subscription_id = ? and status in ('sending', 'retrying')
       order by id for no key update)`,
    [row.tenantId, row.id],
  );
}
