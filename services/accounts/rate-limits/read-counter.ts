import type { EntityManager } from '@mikro-orm/postgresql';

/** The counter of all requests of a tenant. */
export function tenantCounterKey(tenantId: string): string {
  return `tenant/${tenantId}`;
}

export interface CounterReading {
  /** In the present window, refused requests included. */
  used: number;
  /** Until the window ends; 0 where there is none. */
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
