import type { EntityManager } from '@mikro-orm/postgresql';
import type { WebhookSubscription } from '../../db/entities/webhooks/webhook-subscription.ts';
import type { Engine } from '../../temporal/client.ts';
import {
  RETRIES_CHANGED,
  RETRY_WEBHOOK,
  type RetriedWebhook,
} from '../../temporal/contract/retry-webhook.ts';
import { ifReachable } from '../../temporal/if-reachable.ts';
import { startWorkflow } from '../../temporal/start-workflow.ts';

type Subscription = Pick<WebhookSubscription, 'id' | 'tenantId' | 'subjectId'>;

/**
 * Tells the workflow that retries the deliveries of a webhook to look at their rows, and starts it unless it runs.
 *
 * @returns whether the engine was reached; otherwise the sweep repeats this for deliveries that are due
 */
export async function wakeRetries(
  engine: Engine,
  { id, tenantId, subjectId }: Subscription,
): Promise<boolean> {
  const webhook = { tenantId, ...(!subjectId && { subscriptionId: id }) };
  const reached = await ifReachable(engine, { tenant_id: tenantId, webhook_id: id }, async () => {
    await startWorkflow(engine, RETRY_WEBHOOK, webhook, { signal: RETRIES_CHANGED });
    return true;
  });
  return reached ?? false;
}

/** The same for a delivery that has just failed, unless another is due before: then the workflow looks at the rows by itself. */
export async function wakeRetriesFor(
  { em, engine }: { em: EntityManager; engine: Engine },
  deliveryId: string,
  subscription: Subscription,
): Promise<void> {
  const { tenantId, id, subjectId } = subscription;
  const { condition, values } = retriedBy({ tenantId, ...(!subjectId && { subscriptionId: id }) });
  const [earlier] = await em.execute<unknown[]>(
    `select from webhook_deliveries d where ${condition} and d.status = 'retrying'
       and d.engine_due_at < (select engine_due_at from webhook_deliveries where id = ?) limit 1`,
    [...values, deliveryId],
  );
  if (!earlier) await wakeRetries(engine, subscription);
}

/** Condition on deliveries `d` and its values: those that one workflow retries. */
export function retriedBy({ tenantId, subscriptionId }: RetriedWebhook): {
  condition: string;
  values: string[];
} {
  return subscriptionId === undefined
    ? {
        condition: `d.tenant_id = ? and exists (select from webhook_subscriptions s
          where s.id = d.subscription_id and s.subject_id is not null)`,
        values: [tenantId],
      }
    : { condition: 'd.tenant_id = ? and d.subscription_id = ?', values: [tenantId, subscriptionId] };
}
