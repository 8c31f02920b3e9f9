import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import { AppError } from '../../domain/app-error.ts';
import { consumeRateLimits, giveBack, type RateLimit } from '../../services/accounts/consume.ts';
import type { ApiDeps } from '../deps.ts';
import { refuseForeignOrigin } from './origin.ts';
import { network } from './peer-limit.ts';
import { deviceCookie, type KnownDevice } from './session-cookie.ts';
import { stateOf } from './state.ts';

type LimitDeps = Pick<ApiDeps, 'authAttemptsPerMinute' | 'bucketAccess' | 'publicBaseUrl'>;

const LOGIN = 'login';

const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 3_600;
/** Limit of networks that can use up their attempts on one account. */
const NETWORKS_PER_ACCOUNT = 10;
/** A user who has missed five emails in an hour will not read the sixth. */
const MAILS_PER_HOUR = 5;
/** Share of them that one network may have, so that no stranger alone uses them up. */
const SHARE_OF_NETWORK = 0.6;

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
    await consume(ctx, [perMinute(networkKey(operation, ctx), deps)]);
  };
}

/**
 * Counts a login before its body is read: by its network, or one from a known device by the device alone.
 *
 * @throws as `admitAttempt`
 */
export async function admitLogin({ ctx, deps }: { ctx: Context; deps: LimitDeps }): Promise<void> {
  refuseForeignOrigin(ctx, deps);
  const device = deviceCookie.read(ctx, deps);
  await consume(ctx, [perMinute(device ? deviceKey(device) : networkKey(LOGIN, ctx), deps)]);
}

/**
 * Counts an admitted login for its account as well, whether there is one or not, from all networks together. A network
 * reaches its own limit first, so that one address cannot lock the owner of an account out; a known device of the account
 * is not counted with strangers.
 *
 * @returns for a login that succeeds: takes back what was counted, so that only failures count, and makes the device known
 * @throws AppError RATE_LIMITED
 */
export async function limitLogin(ctx: Context, deps: LimitDeps, email: string): Promise<() => Promise<void>> {
  const account = accountOf(email);
  const device = deviceCookie.read(ctx, deps);
  const counted = [device ? deviceKey(device) : networkKey(LOGIN, ctx)];
  if (device?.account !== account) {
    const limits = [perMinute(accountKey(LOGIN, account), deps, NETWORKS_PER_ACCOUNT)];
    // A device that is known for another account has passed its network so far.
    if (device) limits.push(perMinute(networkKey(LOGIN, ctx), deps));
    await consume(ctx, limits);
    counted.push(...limits.map(({ key }) => key));
  }
  return async () => {
    await giveBack(stateOf(ctx).em, counted);
    if (device?.account !== account) deviceCookie.set(ctx, deps, account);
  };
}

/**
 * Counts a request that sends an email to an address, whether there is an account or not: those of each network, and of
 * all together; those of a known device of the account apart, so that strangers do not use them up.
 *
 * @throws AppError RATE_LIMITED
 */
export async function limitMails(
  ctx: Context,
  deps: LimitDeps,
  { operation, email }: { operation: string; email: string },
): Promise<void> {
  const account = accountOf(email);
  const all = Math.max(MAILS_PER_HOUR, deps.authAttemptsPerMinute);
  const mails = (key: string, requests: number) => ({
    key: `${operation}/mails/${key}`,
    requests,
    seconds: HOUR_SECONDS,
  });
  if (deviceCookie.read(ctx, deps)?.account === account) {
    await consume(ctx, [mails(`${account}/known`, all)]);
    return;
  }
  // First, so that what a network may not send is not counted for all.
  await consume(ctx, [mails(`${account}/${networkOf(ctx)}`, Math.ceil(all * SHARE_OF_NETWORK))]);
  await consume(ctx, [
    perMinute(accountKey(operation, account), deps, NETWORKS_PER_ACCOUNT),
    mails(account, all),
  ]);
}

/** Hashed, so that the counters are no list of addresses. */
function accountOf(email: string): string {
  return createHash('sha256').update(email).digest('hex');
}

function networkOf(ctx: Context): string {
  return network(stateOf(ctx).clientAddress);
}

function networkKey(operation: string, ctx: Context): string {
  return `${operation}/from/${networkOf(ctx)}`;
}

function accountKey(operation: string, account: string): string {
  return `${operation}/for/${account}`;
}

function deviceKey({ id }: KnownDevice): string {
  return `${LOGIN}/device/${id}`;
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
