import { createFairSlots } from '../../engines/hosts/fair-slots.ts';
import { createWriteQueue } from '../../adapters/write-queue.ts';
import { WebhookDelivery } from '../../db/entities/webhooks/webhook-delivery.ts';
import type { Orm } from '../../db/create-orm.ts';
import { withKeptSlots } from '../../domain/kept-slots.ts';
import { delayOfNextAttempt } from '../../domain/webhooks/delivery.ts';
import type { Engine } from '../../temporal/client.ts';
import type { AttemptOutcome } from '../../temporal/contract/deliver-webhook.ts';
import type { AdmittedDelivery, Dispatch } from './dispatch-deliveries.ts';
import { startDeliveries, startOrCancelDelivery } from './reconcile-delivery.ts';
import { recordAttempts, type AttemptRecord } from './record-attempt.ts';
import { attemptDelivery, type AttemptDeps } from './send-delivery.ts';
import { isDue } from '../shared/due.ts';

/**
 * Longer than an attempt takes. When it expires, the process is presumed dead and the sweep starts the
 * workflow.
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
 * many times as much as a request. A workflow takes over deliveries that fail, that find no free slot, or
 * whose process dies.
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
    const made = { retryAfterMs, signal, byWorkflow: false, record };
    const { outcome } = await attemptDelivery(orm.em.fork(), attempts, admitted, made);
    onAttempt(outcome);
    if (outcome === 'delivered') return;
    const row = await orm.em.fork().findOne(WebhookDelivery, admitted.delivery.id);
    if (row && isDue(row)) await startOrCancelDelivery({ em: orm.em.fork(), engine }, row);
  }

  return {
    leaseSeconds: LEASE_SECONDS,
    deliver(admitted) {
      const rest: AdmittedDelivery['delivery'][] = [];
      for (const one of admitted) {
        const release = fairSlots.tryAcquire(one.delivery.tenantId);
        if (!release) {
          rest.push(one.delivery);
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
      return startDeliveries({ em: orm.em.fork(), engine }, rest);
    },
    async settled() {
      await Promise.all(inProgress);
    },
  };
}
