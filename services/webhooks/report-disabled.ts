import type { EntityManager } from '@mikro-orm/postgresql';
import { Membership } from '../../db/entities/accounts/membership.ts';
import { WebhookDelivery } from '../../db/entities/webhooks/webhook-delivery.ts';
import { WebhookSubscription } from '../../db/entities/webhooks/webhook-subscription.ts';
import { ROLES, roleAllows } from '../../domain/accounts/permissions.ts';
import type { Engine } from '../../temporal/client.ts';
import { startWorkflow } from '../../temporal/start-workflow.ts';
import { nameUuid } from '../shared/sql.ts';
import { SEND_ACCOUNT_MAIL } from '../../temporal/contract/account-mail.ts';

/**
 * Emails each admin of a tenant whose webhook the service has disabled, at most once a day. Does nothing if
 * the webhook is enabled, was disabled by a user, or is the `webhook_url` of a single request.
 *
 * @param target a delivery of the webhook
 * @returns whether the workflow of each email is known to have ended
 * @throws EngineUnavailable
 */
export async function reportDisabled(
  { em, engine }: { em: EntityManager; engine: Engine },
  { deliveryId, tenantId }: { deliveryId: string; tenantId: string },
): Promise<boolean> {
  const delivery = await em.findOne(WebhookDelivery, { id: deliveryId, tenantId });
  if (!delivery) return true;
  const { subscriptionId: id } = delivery;
  const disabled = { enabled: false, disabledReason: { $ne: null }, deletedAt: null, subjectId: null };
  const subscription = await em.findOne(WebhookSubscription, { id, tenantId, ...disabled });
  if (!subscription?.disabledAt) return true;
  const admins = ROLES.filter((role) => roleAllows(role, 'ADMIN'));
  const members = await em.find(Membership, { tenantId, role: { $in: admins } });
  const day = subscription.disabledAt.toISOString().slice(0, 10);
  let ended = true;
  for (const { userId } of members) {
    const mailId = nameUuid(`webhook_disabled/${id}/${day}/${userId}`);
    const mail = { kind: 'webhook_disabled', userId, tenantId, webhookId: id, mailId } as const;
    if (await startWorkflow(engine, SEND_ACCOUNT_MAIL, mail)) ended = false;
  }
  return ended;
}
