import { createFairSlots } from '../../engines/hosts/fair-slots.ts';
import { createWriteQueue } from '../../adapters/write-queue.ts';
import { WebhookDelivery } from '../../db/entities/webhooks/webhook-delivery.ts';
import type { Orm } from '../../db/create-orm.ts';
import { withKeptSlots } from '../../domain/kept-slots.ts';
import { delayOfNextAttempt } from '../../domain/webhooks/delivery.ts';
import type { Engine } from '../../temporal/client.ts';
import type { AdmittedDelivery, Dispatch } from './dispatch-deliveries.ts';
import { handOverDeliveries, reconcileDelivery } from './reconcile-delivery.ts';
import { recordAttempts, type AttemptOutcome, type AttemptRecord } from './record-attempt.ts';
import { attemptDelivery, type AttemptDeps } from './send-delivery.ts';
import { wakeRetriesFor } from './wake-retries.ts';

/**
 * Longer than an attempt takes. When it expires, the process is presumed dead, and a workflow makes the attempt.
 */
const LEASE_SECONDS = 30;
/** Successes recorded in one statement. */
const RECORDED_AT_ONCE = 64;

export interface FirstAttemptsOptions {
  orm: Orm;
  engine: Engine;
  attempts: AttemptDeps;
  /** Concurrent attempts of one tenant; a third more are kept for others. */
  slots: number;
  onAttempt: (outcome: AttemptOutcome['outcome']) => void;
  onError: (error: unknown) => void;
}

/**
 * Makes the first attempt of each delivery in this process, since most succeed at once and a workflow costs
 * many times as much as a request. The workflow that retries those of its webhook takes over deliveries that fail, that find
 * no free slot, or whose process dies.
 */
export function createFirstAttempts(options: FirstAttemptsOptions): Dispatch & {
  /** Resolves when no attempt is in progress. */
  settled(): Promise<void>;
} {
  const { orm, engine, attempts, slots, onAttempt, onError } = options;
  const fairSlots = createFairSlots(withKeptSlots(slots));
  const inProgress = new Set<Promise<void>>();
  /** Successes that arrive during a write are recorded together by the next statement. */
  const successes = createWriteQueue<{ success: AttemptRecord; recorded: boolean }>(async (entries) => {
    const ids = await recordAttempts(
      orm.em.fork(),
      entries.map(({ success }) => success),
    );
    for (const entry of entries) entry.recorded = ids.has(entry.success.deliveryId);
  }, RECORDED_AT_ONCE);

  async function record(success: AttemptRecord): Promise<boolean> {
    const entry = { success, recorded: false };
    await successes.add([entry]);
    return entry.recorded;
  }

  async function attempt(admitted: AdmittedDelivery): Promise<void> {
    const retryAfterMs = delayOfNextAttempt(1, Math.random()) ?? null;
    const { signal } = new AbortController();
    const made = { retryAfterMs, signal, record };
    const { outcome } = await attemptDelivery(orm.em.fork(), attempts, admitted, made);
    onAttempt(outcome);
    const { delivery, subscription } = admitted;
    if (outcome === 'retry') await wakeRetriesFor({ em: orm.em.fork(), engine }, delivery.id, subscription);
    if (outcome !== 'failed') return;
    const row = await orm.em.fork().findOne(WebhookDelivery, delivery.id);
    if (row) await reconcileDelivery({ em: orm.em.fork(), engine }, row);
  }

  return {
    leaseSeconds: LEASE_SECONDS,
    deliver(admitted) {
      const rest: AdmittedDelivery[] = [];
      for (const one of admitted) {
        const release = fairSlots.tryAcquire(one.delivery.tenantId);
        if (!release) {
          rest.push(one);
          continue;
        }
        const made: Promise<void> = attempt(one)
          .catch(onError)
          .finally(() => {
            release();
            inProgress.delete(made);
          });
        inProgress.add(made);
      }
      return handOverDeliveries({ em: orm.em.fork(), engine }, rest);
    },
    async settled() {
      await Promise.all(inProgress);
    },
  };
}
