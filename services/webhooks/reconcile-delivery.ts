import { Membership } from '../../db/entities/accounts/membership.ts';
import { WebhookDelivery } from '../../db/entities/webhooks/webhook-delivery.ts';
import { WebhookSubscription } from '../../db/entities/webhooks/webhook-subscription.ts';
import { ROLES, roleAllows } from '../../domain/accounts/permissions.ts';
import { ADMITTED_STATUSES, isAdmitted } from '../../domain/webhooks/delivery.ts';
import { SEND_ACCOUNT_MAIL } from '../../temporal/contract/account-mail.ts';
import { WEBHOOK_WORKFLOWS } from '../../temporal/contract/deliver-webhook.ts';
import { startWorkflow } from '../../temporal/start-workflow.ts';
import { reconcileTarget, type ReconcileTarget, type WorkDeps } from '../shared/define-work.ts';
import { acknowledge } from '../shared/due.ts';
import { nameUuid } from '../shared/sql.ts';
import type { AdmittedDelivery } from './dispatch-deliveries.ts';
import { wakeRetries } from './wake-retries.ts';

/**
 * Wakes the workflow that retries an admitted delivery, or notifies admins of a failure that disabled the webhook. Idempotent.
 * The row stays due until its attempt is recorded.
 *
 * @returns whether the row was changed
 * @throws EngineUnavailable
 */
export async function reconcileDelivery({ em, engine }: WorkDeps, row: WebhookDelivery): Promise<boolean> {
  const { id, status, generation, engineDueAt } = row;
  if (!isAdmitted(status)) {
    if (status !== 'failed' || (await reportDisabled({ em, engine }, row)))
      await acknowledge(em, WebhookDelivery, row);
    return false;
  }
  // The workflow of version 0.1 that retried it has vanished.
  const orphan = engineDueAt
    ? 0
    : await em.nativeUpdate(
        WebhookDelivery,
        { id, status, generation, engineDueAt: null },
        { engineDueAt: new Date() },
      );
  await wakeRetries(engine, await em.findOneOrFail(WebhookSubscription, row.subscriptionId));
  return orphan > 0;
}

/**
 * Leaves first attempts of deliveries of one subscription to the workflow that retries them.
 *
 * @returns false if the engine is unreachable; the sweep then wakes it
 */
export async function handOverDeliveries(
  { em, engine }: WorkDeps,
  admitted: readonly AdmittedDelivery[],
): Promise<boolean> {
  const [first] = admitted;
  if (!first) return true;
  const ids = admitted.map(({ delivery }) => delivery.id);
  await em.nativeUpdate(
    WebhookDelivery,
    { id: { $in: ids }, status: 'sending' },
    { engineDueAt: new Date() },
  );
  return wakeRetries(engine, first.subscription);
}

/** The workflows, and the rows that are not due, are those of version 0.1: since then, all that are open are due at some time. */
export const webhookDeliveryTarget: ReconcileTarget = {
  ...reconcileTarget<WebhookDelivery>({
    noun: 'webhook delivery',
    entity: WebhookDelivery,
    workflow: WEBHOOK_WORKFLOWS,
    open: { status: { $in: ADMITTED_STATUSES } },
    // A delivery that waits for its next attempt counts as quiet once that is overdue.
    quiet: (before) => ({
      createdAt: { $lt: before },
      $or: [{ nextAttemptAt: null }, { nextAttemptAt: { $lt: before } }],
    }),
    reconcile: reconcileDelivery,
  }),
  /** One for each workflow to wake, and all of which admins are to be told. */
  async findDue(em, before, limit) {
    const rows = await em.execute<{ id: string }[]>(
      `select (array_agg(d.id order by d.engine_due_at))[1] as id
       from webhook_deliveries d join webhook_subscriptions s on s.id = d.subscription_id
       where d.engine_due_at < ?
       group by d.tenant_id, case when s.subject_id is null then s.id end,
         case when d.status not in ('sending', 'retrying') then d.id end
       order by min(d.engine_due_at) limit ?`,
      [before, limit],
    );
    return rows.map(({ id }) => id);
  },
};

/**
 * Emails each admin of a tenant whose webhook the service has disabled, at most once a day. Does nothing if
 * the webhook is enabled, was disabled by a user, or is the `webhook_url` of a single request.
 *
 * @param target a delivery of the webhook
 * @returns whether the workflow of each email is known to have ended
 * @throws EngineUnavailable
 */
async function reportDisabled(
  { em, engine }: WorkDeps,
  { subscriptionId: id, tenantId }: WebhookDelivery,
): Promise<boolean> {
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
