import {
  condition,
  continueAsNew,
  defineSignal,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { QUEUES, taskPriority } from '../temporal/contract/queues.ts';
import { RETRIES_CHANGED, type RetriedWebhook } from '../temporal/contract/retry-webhook.ts';
import { webhook as webhookOptions } from './activity-options.ts';

/** Keeps a run's history under 4,000 events. */
const ATTEMPTS_A_RUN = 300;
/** Then the delivery is postponed, so that one of which no attempt can be made does not stop the others. */
const MAXIMUM_TRIES = 5;
/** The rows are read so often, in case a signal was lost. */
const LOOK_AGAIN_MS = 3_600_000;

const retriesChanged = defineSignal(RETRIES_CHANGED);

/** Attempts the deliveries of one webhook that have failed whenever some are due, a bounded number at a time, until none is left. */
export async function retryWebhook(webhook: RetriedWebhook): Promise<void> {
  const options = {
    ...webhookOptions,
    priority: taskPriority('bulk', webhook.tenantId),
    taskQueue: QUEUES.webhooks,
  };
  const { findDueDeliveries, postponeDelivery } = proxyActivities<Activities>(options);
  const { retryDelivery } = proxyActivities<Activities>({
    ...options,
    retry: { ...options.retry, maximumAttempts: MAXIMUM_TRIES },
  });
  let changed = false;
  setHandler(retriesChanged, () => void (changed = true));
  for (let left = ATTEMPTS_A_RUN; left > 0;) {
    changed = false;
    const { due, waiting, nextInMs } = await findDueDeliveries.executeWithOptions(
      { summary: 'Which deliveries are due' },
      [webhook],
    );
    left -= Math.max(1, due.length);
    if (due.length > 0) {
      setCurrentDetails(`${waiting} deliveries wait; ${due.length} of them are being attempted.`);
      await Promise.all(
        due.map(async ({ type, attempt, ...target }) => {
          try {
            await retryDelivery.executeWithOptions({ summary: `${type}, attempt ${attempt}` }, [target]);
          } catch (error) {
            if (isCancellation(error)) throw error;
            left -= 1;
            await postponeDelivery.executeWithOptions({ summary: `${type}, postponed` }, [target]);
          }
        }),
      );
    } else if (nextInMs !== undefined) {
      const next = new Date(Date.now() + nextInMs).toISOString();
      setCurrentDetails(`${waiting} deliveries wait; the next is due at ${next}.`);
      await condition(() => changed, Math.min(nextInMs, LOOK_AGAIN_MS));
    } else if (!changed) {
      return;
    }
  }
  return continueAsNew<typeof retryWebhook>(webhook);
}
