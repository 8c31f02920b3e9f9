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
import { quickIo, webhook } from './activity-options.ts';

const attemptNow = defineSignal(ATTEMPT_NOW);

/** Sends one event to one receiver, again and again until it has arrived or the attempts are used up. */
export async function deliverWebhook({
  type,
  ...target
}: DeliverWebhookInput): Promise<DeliverWebhookResult> {
  const priority = taskPriority('bulk', target.tenantId);
  const { sendWebhook } = proxyActivities<Activities>({ ...webhook, priority, taskQueue: QUEUES.webhooks });
  const { reportDisabledWebhook } = proxyActivities<Activities>({
    ...quickIo,
    priority,
    taskQueue: QUEUES.io,
    summary: 'Emails if the webhook was disabled',
  });
  let isDue = false;
  setHandler(attemptNow, () => void (isDue = true));
  for (let attempts = 1; ; attempts += 1) {
    isDue = false;
    const retryAfterMs = delayOfNextAttempt(attempts, Math.random()) ?? null;
    const summary = `${type}, attempt ${attempts}`;
    const result = await sendWebhook.executeWithOptions({ summary }, [target, retryAfterMs]);
    if (result.outcome === 'retry') {
      setCurrentDetails(
        `Attempt ${attempts} failed; the next is due in ${Math.round(result.afterMs / 1000)} s.`,
      );
      await condition(() => isDue, result.afterMs);
      continue;
    }
    if (result.outcome !== 'delivered') await reportDisabledWebhook(target);
    return { outcome: result.outcome, attempts };
  }
}
