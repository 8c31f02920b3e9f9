import type { EntityManager } from '@mikro-orm/postgresql';

/** A number of requests in a window that starts with the first one. */
export interface RateLimit {
  /** The caller and operation to limit; each key has its own counter. */
  key: string;
  requests: number;
  seconds: number;
}

export interface RateLimitState extends RateLimit {
  remaining: number;
  /** Unix time, in seconds. */
  resetsAt: number;
  /** Seconds until then, at least 1. */
  resetsInSeconds: number;
  exceeded: boolean;
}

interface CounterRow {
  key: string;
  used: number;
  resets_at: number;
  resets_in: number;
}

/**
 * Counts one request against each of these limits, for all replicas together and by the clock of the database. Refused
 * requests count as well.
 */
export async function consumeRateLimits(
  em: EntityManager,
  limits: readonly RateLimit[],
): Promise<RateLimitState[]> {
  // In one order everywhere, so that two requests cannot wait for each other.
  const ordered = limits.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  const rows = await em.execute<CounterRow[]>(
    `insert into rate_limits as counter (key, used, resets_at)
     values ${ordered.map(() => `(?, 1, now() + ? * interval '1 second')`).join(', ')}
     on conflict (key) do update set
       used = case when counter.resets_at <= now() then 1 else counter.used + 1 end,
       resets_at = case when counter.resets_at <= now() then excluded.resets_at else counter.resets_at end
     returning key, used, ceil(extract(epoch from resets_at))::int as resets_at,
       ceil(extract(epoch from resets_at - now()))::int as resets_in`,
    ordered.flatMap(({ key, seconds }) => [key, seconds]),
  );
  return rows.flatMap(({ key, used, resets_at: resetsAt, resets_in: resetsIn }) => {
    const limit = limits.find((one) => one.key === key);
    if (!limit) return [];
    return {
      ...limit,
      remaining: Math.max(0, limit.requests - used),
      resetsAt,
      resetsInSeconds: Math.max(1, resetsIn),
      exceeded: used > limit.requests,
    };
  });
}

/** Takes one request back from each of these counters: it is not to count after all. */
export async function giveBack(em: EntityManager, keys: readonly string[]): Promise<void> {
  // One row at a time, so that two cannot wait for each other.
  for (const key of keys)
    await em.execute(
      'update rate_limits set used = used - 1 where key = ? and used > 0 and resets_at > now()',
      [key],
    );
}

/** The counter of all requests of a tenant. */
export function tenantCounterKey(tenantId: string): string {
  return `tenant/${tenantId}`;
}

interface CounterReading {
  /** In the current window, including refused requests. */
  used: number;
  /** Seconds until the window ends; 0 without a window. */
  resetsInSeconds: number;
}

/** Reads a counter of consume.ts and counts nothing. */
export async function readCounter(em: EntityManager, key: string): Promise<CounterReading> {
  const [counter] = await em.execute<{ used: number; resets_in: number }[]>(
    `select used, ceil(extract(epoch from resets_at - now()))::int as resets_in
     from rate_limits where key = ? and resets_at > now()`,
    [key],
  );
  return { used: counter?.used ?? 0, resetsInSeconds: counter?.resets_in ?? 0 };
}
