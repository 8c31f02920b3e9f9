import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import { AppError } from '../../domain/app-error.ts';
import { consumeRateLimits, type RateLimit } from '../../services/accounts/consume.ts';
import type { ApiDeps } from '../deps.ts';
import { refuseForeignOrigin } from './origin.ts';
import { network } from './peer-limit.ts';
import { stateOf } from './state.ts';

type LimitDeps = Pick<ApiDeps, 'authAttemptsPerMinute' | 'publicBaseUrl'>;

const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 3_600;
/** Limit of networks that can use up their attempts on one account. */
const NETWORKS_PER_ACCOUNT = 10;
/** A user who has missed five e-emails in an hour will not read the sixth. */
const MAILS_PER_HOUR = 5;

/** The codes that a route whose `admit` is `admitAttempt` may refuse with. */
export const ATTEMPT_ERRORS = ['FOREIGN_ORIGIN', 'SERVICE_UNAVAILABLE', 'STORAGE_FULL'] as const;

/**
 * Counts an attempt to log in, or the like, from an address, before its body is read.
 *
 * @param operation each has a separate counter
 * @throws AppError RATE_LIMITED; FOREIGN_ORIGIN for an attempt that a page of another site makes
 */
export function admitAttempt(operation: string) {
  return async ({ ctx, deps }: { ctx: Context; deps: LimitDeps }): Promise<void> => {
    refuseForeignOrigin(ctx, deps);
    const key = `${operation}/from/${network(stateOf(ctx).clientAddress)}`;
    await consume(ctx, [perMinute(key, deps)]);
  };
}

/**
 * Counts an attempt for an account, whether there is one or not, from all networks together. A network reaches its own
 * limit first, so that one address cannot lock the owner of an account out.
 *
 * @param sendsMail also count it against the emails of an hour
 * @throws AppError RATE_LIMITED
 */
export async function limitAccount(
  ctx: Context,
  deps: LimitDeps,
  { operation, email, sendsMail = false }: { operation: string; email: string; sendsMail?: boolean },
): Promise<void> {
  // Hashed, so that the counters are no list of addresses.
  const account = createHash('sha256').update(email).digest('hex');
  const requests = Math.max(MAILS_PER_HOUR, deps.authAttemptsPerMinute);
  await consume(ctx, [
    perMinute(`${operation}/for/${account}`, deps, NETWORKS_PER_ACCOUNT),
    ...(sendsMail ? [{ key: `${operation}/mails/${account}`, requests, seconds: HOUR_SECONDS }] : []),
  ]);
}

function perMinute(key: string, { authAttemptsPerMinute }: LimitDeps, times = 1): RateLimit {
  return { key, requests: authAttemptsPerMinute * times, seconds: MINUTE_SECONDS };
}

async function consume(ctx: Context, limits: readonly RateLimit[]): Promise<void> {
  const states = await consumeRateLimits(stateOf(ctx).em, limits);
  const exceeded = states.filter((state) => state.exceeded);
  const [longest] = exceeded.toSorted((a, b) => b.resetsInSeconds - a.resetsInSeconds);
  if (!longest) return;
  throw new AppError('RATE_LIMITED', 'too many attempts; wait before you try again', {
    retryAfterSeconds: longest.resetsInSeconds,
  });
}
