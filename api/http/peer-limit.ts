import type { Context } from 'koa';
import { isIPv6 } from 'node:net';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { AppError } from '../../domain/app-error.ts';
import { stateOf } from './state.ts';

const MINUTE_SECONDS = 60;
const RETRY_OPEN_SECONDS = 5;

/** Limits requests without a key, by peer address. */
export interface PeerLimit {
  /** @throws AppError RATE_LIMITED */
  admit(ctx: Context): Promise<void>;
}

export interface PeerLimits {
  requestsPerMinute: number;
  /** Admitted requests without a complete response: a rate alone does not bound slow bodies. */
  openRequests: number;
}

/**
 * Limits the requests from one address, counted in this process.
 */
export function createPeerLimit({ requestsPerMinute, openRequests }: PeerLimits): PeerLimit {
  const limiter = new RateLimiterMemory({ points: requestsPerMinute, duration: MINUTE_SECONDS });
  const open = new Map<string, number>();
  return {
    async admit(ctx) {
      const peer = network(stateOf(ctx).clientAddress);
      const before = open.get(peer) ?? 0;
      if (before >= openRequests) {
        const details = { retryAfterSeconds: RETRY_OPEN_SECONDS };
        throw new AppError('RATE_LIMITED', `at most ${openRequests} requests at once`, details);
      }
      open.set(peer, before + 1);
      ctx.res.once('close', () => {
        const left = (open.get(peer) ?? 1) - 1;
        if (left > 0) open.set(peer, left);
        else open.delete(peer);
      });
      try {
        await limiter.consume(peer);
      } catch (spent) {
        if (!(spent instanceof RateLimiterRes)) throw spent;
        const retryAfterSeconds = Math.max(1, Math.ceil(spent.msBeforeNext / 1000));
        throw new AppError('RATE_LIMITED', `at most ${requestsPerMinute} requests a minute`, {
          retryAfterSeconds,
        });
      }
    },
  };
}

/** The address, or for IPv6 its /64 network: a client usually controls a whole one. */
export function network(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined || !isIPv6(address)) return mapped ?? address;
  const [head = '', tail] = address.split('%')[0]?.toLowerCase().split('::') ?? [];
  const first = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups = [...first, ...Array<string>(Math.max(0, 8 - first.length - last.length)).fill('0'), ...last];
  return `${groups.slice(0, 4).join(':')}::/64`;
}
