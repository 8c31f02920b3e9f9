import {
  condition,
  defineSignal,
  proxyActivities,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { delayOfNextAttempt } from '../domain/webhooks/delivery.ts';
import {
  ATTEMPT_NOW,
  type DeliverWebhookInput,
  type DeliverWebhookResult,
} from '../temporal/contract/deliver-webhook.ts';
import { QUEUES, taskPriority } from '../temporal/contract/queues.ts';
import { webhook } from './activity-options.ts';

const attemptNow = defineSignal(ATTEMPT_NOW);

/** Sends one event to one receiver, as version 0.1 began it; `retryWebhook` does the rest. */
export async function deliverWebhook({
  type,
  nextAttemptAt,
  ...target
}: DeliverWebhookInput): Promise<DeliverWebhookResult> {
  const { sendWebhook } = proxyActivities<Activities>({
    ...webhook,
    priority: taskPriority('bulk', target.tenantId),
    taskQueue: QUEUES.webhooks,
  });
  let isDue = false;
  setHandler(attemptNow, () => void (isDue = true));
  let attempts = 0;
  if (nextAttemptAt !== undefined) {
    attempts = 1;
    await condition(() => isDue, Math.max(1, Date.parse(nextAttemptAt) - Date.now()));
  }
  for (;;) {
    attempts += 1;
    isDue = false;
    const retryAfterMs = delayOfNextAttempt(attempts, Math.random()) ?? null;
    const summary = `${type}, attempt ${attempts}`;
    const result = await sendWebhook.executeWithOptions({ summary }, [target, retryAfterMs]);
    if (result.outcome !== 'retry') return { outcome: result.outcome, attempts };
    const seconds = Math.round(result.afterMs / 1000);
    setCurrentDetails(`Attempt ${attempts} failed; the next is due in ${seconds} s.`);
    await condition(() => isDue, result.afterMs);
  }
}
