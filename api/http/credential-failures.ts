import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { AppError } from '../../domain/app-error.ts';
import { network } from './peer-limit.ts';
import { stateOf } from './state.ts';

const MINUTE_SECONDS = 60;
/** Credentials that are remembered as good, and as bad; the one that was used longest ago makes room. */
const MAX_REMEMBERED = 10_000;

/** Limits different wrong API keys and session cookies by network, counted in this process. */
export interface CredentialFailures {
  /**
   * Resolves a credential, unless too many from its network were wrong in this minute; the database is then not
   * queried. Credentials that were right before are still resolved, so that a client cannot lock out its neighbours
   * behind one address.
   *
   * @throws AppError RATE_LIMITED, and whatever `resolve` throws
   */
  guard<R>(ctx: Context, credential: string, resolve: () => Promise<R>): Promise<R>;
  /** Takes a credential that was just given out for a good one. */
  accept(credential: string): void;
}

export function createCredentialFailures({
  failuresPerMinute,
}: {
  failuresPerMinute: number;
}): CredentialFailures {
  const failures = new RateLimiterMemory({ points: failuresPerMinute, duration: MINUTE_SECONDS });
  const accepted = new Set<string>();
  /** Wrong ones of this minute: a program that repeats one is no guess. */
  const rejected = new Map<string, number>();

  function isNew(digest: string): boolean {
    const now = Date.now();
    for (const [old, until] of rejected) {
      if (until > now && rejected.size < MAX_REMEMBERED) break;
      rejected.delete(old);
    }
    if (rejected.has(digest)) return false;
    rejected.set(digest, now + MINUTE_SECONDS * 1000);
    return true;
  }

  function remember(digest: string): void {
    accepted.delete(digest);
    accepted.add(digest);
    const [oldest] = accepted;
    if (accepted.size > MAX_REMEMBERED && oldest !== undefined) accepted.delete(oldest);
  }

  async function refuseTooMany(from: string): Promise<void> {
    const counted = await failures.get(from);
    if (!counted || counted.consumedPoints < failuresPerMinute) return;
    const retryAfterSeconds = Math.max(1, Math.ceil(counted.msBeforeNext / 1000));
    throw new AppError(
      'RATE_LIMITED',
      'too many wrong credentials from your network; wait before you try again',
      {
        retryAfterSeconds,
      },
    );
  }

  return {
    accept: (credential) => remember(digestOf(credential)),
    async guard(ctx, credential, resolve) {
      const from = network(stateOf(ctx).clientAddress);
      const digest = digestOf(credential);
      if (!accepted.has(digest)) await refuseTooMany(from);
      try {
        const resolved = await resolve();
        remember(digest);
        return resolved;
      } catch (error) {
        if (error instanceof AppError && error.code === 'UNAUTHENTICATED') {
          accepted.delete(digest);
          if (isNew(`${from} ${digest}`)) await failures.penalty(from);
        }
        throw error;
      }
    },
  };
}

function digestOf(credential: string): string {
  return createHash('sha256').update(credential).digest('base64url');
}
