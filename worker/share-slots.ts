import type { Info } from '@temporalio/activity';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { createFairSlots } from '../engines/hosts/fair-slots.ts';
import { FAIR_SHARE_EXCEEDED, retryableFailure } from '../temporal/contract/failures.ts';
import type { HeartbeatDetails } from '../temporal/contract/process-file.ts';

/**
 * Interval at which a worker, whose kept slots are taken by activities that may not run, gives one of them back to the
 * engine to see the next. Another tenant waits about this long, whatever the queue; each costs the engine a dispatch.
 */
const GIVEN_BACK_EVERY_MS = 150;
/**
 * Interval at which the activities of one tenant come again. A few soon have their turn; a backlog, whose activities would
 * otherwise come and go as a whole, costs the engine no more dispatches a second.
 */
const RETURN_EVERY_MS = 250;
/** An activity that waited longer would leave a worker idle whose other tenants have ended. */
const LATEST_RETURN_MS = 60_000;

/**
 * Keeps the activity slots of a worker from filling with the work of one tenant, which the engine's fairness cannot do:
 * it shares what is dispatched, not what is held. An activity that may not have a slot waits for one briefly, then goes
 * back to the engine before it has begun, to be tried again in seconds. Meanwhile it occupies one of the kept slots,
 * since a worker learns of other tenants only by taking what the engine dispatches.
 *
 * @param slots activities of the worker at a time
 * @param kept slots that no tenant gets alone
 */
export function shareSlots(slots: number, kept: number): ActivityInterceptorsFactory {
  const fairSlots = createFairSlots(slots, kept);
  const longestWaitMs = kept * GIVEN_BACK_EVERY_MS;
  let lastGivenBack = 0;
  /** When the activity of a tenant that was given back last comes again. */
  const lastReturns = new Map<string, number>();

  function waitMs(): number {
    const now = Date.now();
    const spaced = Math.max(lastGivenBack, now) + GIVEN_BACK_EVERY_MS;
    lastGivenBack = Math.min(spaced, now + longestWaitMs);
    return lastGivenBack - now;
  }

  function secondsUntilReturn(tenantId: string): number {
    const now = Date.now();
    for (const [id, at] of lastReturns) if (at < now) lastReturns.delete(id);
    const at = Math.min((lastReturns.get(tenantId) ?? now) + RETURN_EVERY_MS, now + LATEST_RETURN_MS);
    lastReturns.set(tenantId, at);
    return (at - now) / 1000;
  }

  async function acquireSoon(tenantId: string): Promise<(() => void) | undefined> {
    const soon = AbortSignal.timeout(waitMs());
    return fairSlots.acquire(tenantId, soon).catch((error: unknown) => {
      if (error !== soon.reason) throw error;
      return undefined;
    });
  }

  return (context) => ({
    inbound: {
      async execute(input, next) {
        const tenantId = context.info.priority?.fairnessKey;
        if (!tenantId) return next(input);
        const release = fairSlots.tryAcquire(tenantId) ?? (await acquireSoon(tenantId));
        if (!release) {
          const details = returnedOnce(context.info);
          context.heartbeat(details);
          throw retryableFailure(FAIR_SHARE_EXCEEDED, 'the work of other accounts comes first', {
            retryAfterSeconds: secondsUntilReturn(tenantId),
            expected: true,
          });
        }
        try {
          return await next(input);
        } finally {
          release();
        }
      },
    },
  });
}

function returnedOnce({ heartbeatDetails }: Info): HeartbeatDetails {
  const earlier = (heartbeatDetails as HeartbeatDetails | undefined) ?? {};
  return { ...earlier, returned: (earlier.returned ?? 0) + 1 };
}
