import type { EntityManager } from '@mikro-orm/postgresql';
import { WorkflowNotFoundError } from '@temporalio/client';
import { WebhookDelivery } from '../../db/entities/webhooks/webhook-delivery.ts';
import { WebhookEvent } from '../../db/entities/webhooks/webhook-event.ts';
import { ADMITTED_STATUSES, isAdmitted } from '../../domain/webhooks/delivery.ts';
import type { Engine } from '../../temporal/client.ts';
import {
  ATTEMPT_NOW,
  type DeliverWebhookInput,
  WEBHOOK_WORKFLOWS,
} from '../../temporal/contract/deliver-webhook.ts';
import { START_DEADLINE_MS } from '../../temporal/deadlines.ts';
import { ifReachable } from '../../temporal/if-reachable.ts';
import { cancelWorkflow, startWorkflow } from '../../temporal/start-workflow.ts';
import { describeWorkflowRun } from '../../temporal/status/describe-workflow-run.ts';
import { reconcileTarget } from '../shared/define-work.ts';
import { recordAttempts } from './record-attempt.ts';
import type { GenerationMemo } from '../../temporal/contract/workflow.ts';
import { Membership } from '../../db/entities/accounts/membership.ts';
import { WebhookSubscription } from '../../db/entities/webhooks/webhook-subscription.ts';
import { ROLES, roleAllows } from '../../domain/accounts/permissions.ts';
import { nameUuid } from '../shared/sql.ts';
import { SEND_ACCOUNT_MAIL } from '../../temporal/contract/account-mail.ts';

/** The fields of a delivery that the engine needs. */
export type DueDelivery = Pick<
  WebhookDelivery,
  'id' | 'tenantId' | 'status' | 'generation' | 'eventId' | 'nextAttemptAt'
>;

interface DeliveryDeps {
  em: EntityManager;
  engine: Engine;
}

/**
 * Reconciles an admitted delivery with the engine, whichever is behind: starts or cancels its workflow, or
 * fails a delivery whose workflow has ended abnormally, with the reason in its log. Idempotent. Needs no
 * worker.
 *
 * @returns whether the row was stale
 * @throws EngineUnavailable
 */
export async function reconcileDelivery(
  { em, engine }: DeliveryDeps,
  row: WebhookDelivery,
  milliseconds: number,
): Promise<boolean> {
  const isDue = row.engineDueAt ? row.engineDueAt <= new Date() : false;
  // Before that time, the API makes the first attempt, or the workflow waits for the next.
  if (row.engineDueAt && !isDue && row.status !== 'retrying') return false;
  if (isDue && !(await startOrCancelDelivery({ em, engine }, row))) return false;
  if (!isAdmitted(row.status)) return false;
  const run = await describeWorkflowRun(engine, WEBHOOK_WORKFLOWS.of(row.id), milliseconds);
  // The end of a run before a redelivery says nothing about that: its own is missing.
  if (!run || run.generation < row.generation) {
    await startOrCancelDelivery({ em, engine }, row);
    return false;
  }
  if (run.outcome === 'running' && run.isIdle && isDue) await attemptNow(engine, row.id);
  if (run.outcome === 'running') return false;
  const { id: deliveryId, tenantId, generation } = row;
  const attempt = { startedAt: new Date(), latencyMs: 0, statusCode: null, answer: null };
  const error = `not sent: ${run.reason.message}`;
  const target = { deliveryId, tenantId, generation };
  const recorded = await recordAttempts(em, [{ ...target, ...attempt, error, status: 'failed' }]);
  return recorded.size === 1;
}

const STARTED_AT_ONCE = 10;

/**
 * Starts the workflows of admitted deliveries.
 *
 * @returns false if the engine is unreachable; the sweep then starts the rest
 */
export async function startDeliveries(
  { em, engine }: DeliveryDeps,
  rows: readonly DueDelivery[],
): Promise<boolean> {
  for (let next = 0; next < rows.length; next += STARTED_AT_ONCE) {
    const batch = rows.slice(next, next + STARTED_AT_ONCE);
    const accepted = await Promise.all(
      batch.map((row) => startOrCancelDelivery({ em: em.fork(), engine }, row)),
    );
    // A redelivery may also be refused because the run before it has not closed yet.
    if (batch.some(({ generation }, at) => generation === 1 && !accepted[at])) return false;
  }
  return true;
}

/**
 * Brings the engine in line with the row of a delivery: starts the workflow of an admitted one, cancels that
 * of an ended one, and notifies admins of a failure that disabled the webhook. Idempotent. The row stays due
 * until the workflow has made its attempt, or has ended.
 *
 * @returns whether the engine accepted it; otherwise the sweep retries
 */
export async function startOrCancelDelivery(
  { em, engine }: DeliveryDeps,
  { id, tenantId, status, generation, eventId, nextAttemptAt }: DueDelivery,
): Promise<boolean> {
  let isDone = false;
  const accepted = await ifReachable(engine, { tenant_id: tenantId, delivery_id: id }, async () => {
    if (isAdmitted(status)) {
      const { type } = await em.findOneOrFail(WebhookEvent, eventId);
      const input = { deliveryId: id, tenantId, generation, type };
      const resumed = status === 'retrying' && { nextAttemptAt: (nextAttemptAt ?? new Date()).toISOString() };
      return startGeneration(engine, { ...input, ...resumed });
    }
    isDone =
      status === 'failed'
        ? await reportDisabled({ em, engine }, { deliveryId: id, tenantId })
        : await stopDelivery(engine, id);
    return true;
  });
  if (!accepted) return false;
  // Only if the row is unchanged: otherwise the engine is behind again.
  const unchanged = { id, status, generation };
  if (isDone) await em.nativeUpdate(WebhookDelivery, unchanged, { engineDueAt: null });
  else if (status === 'retrying') {
    // The workflow reads the row at its attempt.
    await em.nativeUpdate(WebhookDelivery, unchanged, { engineDueAt: nextAttemptAt ?? new Date() });
  }
  return true;
}

/** @returns whether its workflow is not running */
async function stopDelivery(engine: Engine, id: string): Promise<boolean> {
  const run = await describeWorkflowRun(engine, WEBHOOK_WORKFLOWS.of(id), START_DEADLINE_MS);
  if (run?.outcome !== 'running') return true;
  await cancelWorkflow(engine, WEBHOOK_WORKFLOWS.of(id));
  return false;
}

/**
 * Wakes the workflow of a delivery that waits for its next attempt. One that has ended is left alone.
 *
 * @throws EngineUnavailable
 */
export async function attemptNow(engine: Engine, deliveryId: string): Promise<void> {
  try {
    await engine.within(START_DEADLINE_MS, ({ workflow }) =>
      workflow.getHandle(WEBHOOK_WORKFLOWS.of(deliveryId)).signal(ATTEMPT_NOW),
    );
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}

/**
 * Starts a workflow once those of earlier generations have closed. An earlier one that still waits for its
 * next attempt, which may take a day, is cancelled first.
 *
 * @returns whether the workflow of this generation has been started, now or before
 * @throws EngineUnavailable
 */
async function startGeneration(engine: Engine, input: DeliverWebhookInput): Promise<boolean> {
  if (await startWorkflow(engine, WEBHOOK_WORKFLOWS, input)) return true;
  const workflowId = WEBHOOK_WORKFLOWS.of(input.deliveryId);
  const run = await engine.within(START_DEADLINE_MS, ({ workflow }) =>
    workflow.getHandle(workflowId).describe(),
  );
  const { generation = 1 } = (run.memo ?? {}) as Partial<GenerationMemo>;
  if (generation >= input.generation) return true;
  await cancelWorkflow(engine, workflowId);
  return startWorkflow(engine, WEBHOOK_WORKFLOWS, input);
}

export const webhookDeliveryTarget = reconcileTarget<WebhookDelivery>({
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
});

/**
 * Emails each admin of a tenant whose webhook the service has disabled, at most once a day. Does nothing if
 * the webhook is enabled, was disabled by a user, or is the `webhook_url` of a single request.
 *
 * @param target a delivery of the webhook
 * @returns whether the workflow of each email is known to have ended
 * @throws EngineUnavailable
 */
async function reportDisabled(
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
