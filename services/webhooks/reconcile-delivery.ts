import type { EntityManager } from '@mikro-orm/postgresql';
import { WebhookDelivery } from '../../db/entities/webhooks/webhook-delivery.ts';
import { WebhookEvent } from '../../db/entities/webhooks/webhook-event.ts';
import { isAdmitted } from '../../domain/webhooks/delivery.ts';
import type { Engine } from '../../temporal/client.ts';
import { webhookWorkflowId } from '../../temporal/contract/ids.ts';
import { ifReachable } from '../../temporal/if-reachable.ts';
import { cancelWorkflow, startWorkflow } from '../../temporal/start-workflow.ts';
import { describeWorkflowRun } from '../../temporal/status/describe-workflow-run.ts';
import { recordAttempt } from './record-attempt.ts';

interface DeliveryDeps {
  em: EntityManager;
  engine: Engine;
}

/**
 * Reconciles an admitted delivery and the engine, whichever is behind: starts or cancels its workflow, and fails a
 * delivery whose workflow has ended abnormally, which its log then says. Idempotent. Needs no worker.
 *
 * @returns whether the row was stale
 * @throws EngineUnavailable
 */
export async function reconcileDelivery(
  { em, engine }: DeliveryDeps,
  row: WebhookDelivery,
  milliseconds: number,
): Promise<boolean> {
  if (row.engineDueAt && !(await startOrCancelDelivery({ em, engine }, row))) return false;
  if (!isAdmitted(row.status)) return false;
  const run = await describeWorkflowRun(engine, webhookWorkflowId(row.id), milliseconds);
  if (!run) await startOrCancelDelivery({ em, engine }, row);
  if (!run || run.outcome === 'running') return false;
  const { id: deliveryId, tenantId, generation } = row;
  const attempt = { startedAt: new Date(), latencyMs: 0, statusCode: null, answer: null };
  const error = `not sent: ${run.reason.message}`;
  const target = { deliveryId, tenantId, generation };
  return recordAttempt(em, target, { ...attempt, error }, { status: 'failed' });
}

/**
 * Syncs the engine with the row of an admitted or cancelled delivery: starts its workflow, or cancels it. Idempotent.
 *
 * @param row is refreshed
 * @returns whether the engine accepted it; otherwise the sweep tries again
 */
export async function startOrCancelDelivery(
  { em, engine }: DeliveryDeps,
  row: WebhookDelivery,
): Promise<boolean> {
  const { id, tenantId, status, generation, eventId } = row;
  const accepted = await ifReachable(engine, { tenant_id: tenantId, delivery_id: id }, async () => {
    if (isAdmitted(status)) {
      const { type } = await em.findOneOrFail(WebhookEvent, eventId);
      return startWorkflow(engine, 'deliverWebhook', { deliveryId: id, tenantId, generation, type });
    }
    await cancelWorkflow(engine, webhookWorkflowId(id));
    return true;
  });
  if (!accepted) return false;
  // Only if the row is unchanged: otherwise the engine is behind again.
  await em.nativeUpdate(WebhookDelivery, { id, status, generation }, { engineDueAt: null });
  await em.refresh(row);
  return true;
}
