import type { ServerResponse } from 'node:http';
import { createSemaphore, type Semaphore } from '../../adapters/semaphore.ts';
import { AppError } from '../../domain/app-error.ts';
import { clientGone } from './client-gone.ts';

/** Limits the concurrent costly work of each tenant in this process. */
export interface TenantSlots {
  /**
   * Waits for a slot of the tenant, for a while and in order.
   *
   * @param gone aborts the wait
   * @returns an idempotent function that releases the slot
   * @throws AppError RATE_LIMITED, CLIENT_GONE
   */
  acquire(tenantId: string, gone: AbortSignal): Promise<() => void>;
  /** Does work in a slot. */
  run<R>(tenantId: string, gone: AbortSignal, work: () => Promise<R>): Promise<R>;
}

export interface SlotLimits {
  /** The limited resource, for people. */
  what: string;
  atOnce: number;
  /** Maximum number waiting for a slot; more are rejected immediately. */
  waiting: number;
  waitMs: number;
}

/** Answers that grow with a document: each holds one or two megabytes, and uses CPU for as long as its client reads. */
export const LONG_ANSWERS = { atOnce: 2, waiting: 16, waitMs: 5_000 };

/** Creates the slots of all tenants. A tenant costs nothing while it has none and waits for none. */
export function createTenantSlots({ what, atOnce, waiting, waitMs }: SlotLimits): TenantSlots {
  const tenants = new Map<string, { slots: Semaphore; users: number }>();
  const refused = () =>
    new AppError('RATE_LIMITED', `at most ${atOnce} ${what} of an account at once`, {
      retryAfterSeconds: Math.max(1, Math.round(waitMs / 1000)),
    });

  const limit: TenantSlots = {
    async run(tenantId, gone, work) {
      const release = await limit.acquire(tenantId, gone);
      try {
        return await work();
      } finally {
        release();
      }
    },
    async acquire(tenantId, gone) {
      const own = tenants.get(tenantId) ?? { slots: createSemaphore(atOnce), users: 0 };
      if (own.users >= atOnce + waiting) throw refused();
      tenants.set(tenantId, own);
      own.users += 1;
      const leave = (): void => {
        own.users -= 1;
        if (own.users === 0) tenants.delete(tenantId);
      };
      try {
        await own.slots.acquire(AbortSignal.any([gone, AbortSignal.timeout(waitMs)]));
      } catch {
        leave();
        throw gone.aborted ? new AppError('CLIENT_GONE', 'the client disconnected') : refused();
      }
      let held = true;
      return () => {
        if (!held) return;
        held = false;
        own.slots.release();
        leave();
      };
    },
  };
  return limit;
}

/**
 * Waits for a slot of the tenant, and holds it until the response has closed.
 *
 * @throws AppError RATE_LIMITED, CLIENT_GONE
 */
export async function holdSlot(
  slots: TenantSlots,
  tenantId: string,
  response: ServerResponse,
): Promise<void> {
  const release = await slots.acquire(tenantId, clientGone(response));
  response.once('close', release);
  // A client that has already disconnected emits no further event.
  if (response.destroyed) release();
}
