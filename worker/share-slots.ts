import type { Info } from '@temporalio/activity';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { FAIR_SHARE_EXCEEDED, retryableFailure } from '../temporal/contract/failures.ts';
import type { HeartbeatDetails } from '../temporal/contract/process-file.ts';

/** How long a tenant counts after its last activity here: the next step of its file comes within moments. */
const KEPT_MS = 3_000;
/** Longest retry delay, in seconds; each return of an activity adds one. */
const MOST_SECONDS = 10;
/** Interval between two returns of one tenant, whose backlog would otherwise come and go as a whole. */
const RETURN_EVERY_MS = 200;
/** An activity that waited longer would leave a worker idle whose other tenants have ended. */
const LATEST_RETURN_MS = 60_000;

/**
 * Keeps the activity slots of a worker from filling with the work of one tenant, which the engine's fairness cannot do:
 * it shares what is dispatched, not what is held. While others have work here, an activity of a tenant that holds its
 * share of the slots goes back to the engine before it begins, to be tried again in seconds. A tenant without
 * competition may hold all slots.
 *
 * @param slots activities of the worker at a time
 */
export function shareSlots(slots: number): ActivityInterceptorsFactory {
  const held = new Map<string, number>();
  const leaving = new Map<string, NodeJS.Timeout>();
  /** When the activity that was sent back last comes again. */
  const lastReturns = new Map<string, number>();

  function secondsUntilReturn(tenantId: string, returned: number): number {
    const now = Date.now();
    const soonest = now + Math.min(returned, MOST_SECONDS) * 1000;
    const spaced = Math.max(soonest, (lastReturns.get(tenantId) ?? 0) + RETURN_EVERY_MS);
    const at = Math.min(spaced, now + LATEST_RETURN_MS);
    lastReturns.set(tenantId, at);
    return (at - now) / 1000;
  }

  function take(tenantId: string): void {
    clearTimeout(leaving.get(tenantId));
    leaving.delete(tenantId);
    held.set(tenantId, (held.get(tenantId) ?? 0) + 1);
  }

  function giveBack(tenantId: string): void {
    const left = (held.get(tenantId) ?? 1) - 1;
    held.set(tenantId, left);
    if (left > 0) return;
    const forget = () => {
      held.delete(tenantId);
      lastReturns.delete(tenantId);
      leaving.delete(tenantId);
    };
    leaving.set(tenantId, setTimeout(forget, KEPT_MS).unref());
  }

  return (context) => ({
    inbound: {
      async execute(input, next) {
        const tenantId = context.info.priority?.fairnessKey;
        if (!tenantId) return next(input);
        const share = Math.ceil(slots / new Set([...held.keys(), tenantId]).size);
        if ((held.get(tenantId) ?? 0) >= share && share < slots) {
          const details = returnedOnce(context.info);
          context.heartbeat(details);
          throw retryableFailure(FAIR_SHARE_EXCEEDED, 'the work of other accounts comes first', {
            retryAfterSeconds: secondsUntilReturn(tenantId, details.returned ?? 1),
            expected: true,
          });
        }
        take(tenantId);
        try {
          return await next(input);
        } finally {
          giveBack(tenantId);
        }
      },
    },
  });
}

function returnedOnce({ heartbeatDetails }: Info): HeartbeatDetails {
  const earlier = (heartbeatDetails as HeartbeatDetails | undefined) ?? {};
  return { ...earlier, returned: (earlier.returned ?? 0) + 1 };
}
