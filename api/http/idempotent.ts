import type { EntityManager } from '@mikro-orm/postgresql';
import type { Context } from 'koa';
import { z } from 'zod';
import { acquireLease } from '../../services/shared/idempotency.ts';
import type { Principal } from '../../services/accounts/resolve-principal.ts';
import { stateOf } from './state.ts';
import { validate } from './validate.ts';

/** The header by which a client may repeat a request without doing its work twice. */
export const idempotencyHeader = z.object({
  'Idempotency-Key': z
    .string()
    .regex(/^[\w.-]{1,128}$/, '1 to 128 letters, digits, underscores, hyphens and dots')
    .optional()
    .meta({
      description:
        'A repeat with the same key and body gets the first answer, marked `Idempotency-Replayed: true`, for 24 hours',
    }),
});

/**
 * Does the work of a request once for each Idempotency-Key; without one, each time.
 *
 * @param keyInBody counts where the header has none
 * @param work gets the id for what it creates, the same when a request is taken up after its process has died
 * @throws AppError VALIDATION_FAILED, IDEMPOTENCY_KEY_REUSED, REQUEST_IN_FLIGHT, and those of the work, which free the
 *   key
 */
export async function idempotent(
  { ctx, em, principal, body }: { ctx: Context; em: EntityManager; principal: Principal; body: unknown },
  { route, keyInBody }: { route: string; keyInBody?: string | undefined },
  work: (resourceId: string | undefined) => Promise<unknown>,
): Promise<unknown> {
  const given = ctx.get('Idempotency-Key');
  const headers = given === '' ? {} : { 'Idempotency-Key': given };
  const { 'Idempotency-Key': key = keyInBody } = validate(idempotencyHeader, headers, 'header');
  if (key === undefined) return work(undefined);

  const content = { path: ctx.path, body };
  const hold = await acquireLease(em, { tenantId: principal.tenantId, route, key, content });
  if ('body' in hold) {
    ctx.set('Idempotency-Replayed', 'true');
    ctx.status = hold.status;
    return hold.body;
  }
  // What is kept is kept with its status, and Koa's is 404 until somebody sets a body.
  ctx.status = 200;
  let answer: unknown;
  try {
    answer = await work(hold.resourceId);
  } catch (error) {
    await hold.release();
    throw error;
  }
  // An answer that is not the last word must not be repeated for a day: whoever asks again gets the truth of then.
  if (stateOf(ctx).provisional) await hold.release();
  else await hold.keep({ status: ctx.status, body: answer });
  return answer;
}

/** Says that the answer of this request may turn out otherwise, so that no key keeps it. */
export function markProvisional(ctx: Context): void {
  stateOf(ctx).provisional = true;
}
