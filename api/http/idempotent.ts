import type { EntityManager } from '@mikro-orm/postgresql';
import type { Context } from 'koa';
import { z } from 'zod';
import { acquireLease } from '../../services/shared/idempotency.ts';
import { outage } from '../../services/shared/outage.ts';
import type { Principal } from '../../services/accounts/principal.ts';
import { stateOf } from './state.ts';
import { validate } from './validate.ts';

/** The header that makes retries of a request idempotent. */
export const idempotencyHeader = z.object({
  'Idempotency-Key': z
    .string()
    .regex(/^[\w.-]{1,128}$/, '1 to 128 letters, digits, underscores, hyphens and dots')
    .optional()
    .describe(
      'A retry with the same key and body gets the same response, marked `Idempotency-Replayed: true`, for 24 hours',
    ),
});

/**
 * Runs the work of a request, one at a time per Idempotency-Key. With a key it must be idempotent by the id that it
 * gets: it runs again after its process has died, and to make the same answer again for 24 hours.
 *
 * @param keyInBody used if there is no header
 * @param work gets the id of the resource to create, the same for every request with this key
 * @throws AppError VALIDATION_FAILED, IDEMPOTENCY_KEY_REUSED, REQUEST_IN_FLIGHT, and those of the work, which release
 *   the key unless the cause is an outage, as does a streamed response that ends with a failure
 */
export async function idempotent(
  { ctx, em, principal, body }: { ctx: Context; em: EntityManager; principal: Principal; body: unknown },
  { route, keyInBody }: { route: string; keyInBody?: string | undefined },
  work: (resourceId: string | undefined) => Promise<unknown>,
): Promise<unknown> {
  const headers = { 'Idempotency-Key': ctx.headers['idempotency-key'] };
  const { 'Idempotency-Key': key = keyInBody } = validate(idempotencyHeader, headers, 'header');
  if (key === undefined) return work(undefined);

  const content = { path: ctx.path, body };
  const lease = await acquireLease(em, { tenantId: principal.tenantId, route, key, content });
  if (lease.answered) {
    const again = await work(lease.resourceId);
    ctx.set('Idempotency-Replayed', 'true');
    return again;
  }
  let answer: unknown;
  try {
    answer = await work(lease.resourceId);
  } catch (error) {
    // After an outage, the resource may exist.
    await (outage(error) ? lease.expire() : lease.release());
    throw error;
  }
  // A provisional response must not be replayed for a day: a retry gets the state of the same resource at that time.
  const { provisional, ending } = stateOf(ctx);
  if (provisional) await lease.expire();
  // If that cannot be recorded, the lease expires, and a repeat continues with the same id.
  else if (ending)
    void ending.then((succeeded) => (succeeded ? lease.keep() : lease.release())).catch(() => undefined);
  else await lease.keep();
  return answer;
}

/** Marks the response as subject to change, so that a repeat with its Idempotency-Key is not a replay. */
export function markProvisional(ctx: Context): void {
  stateOf(ctx).provisional = true;
}
