import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from '../shared/sql.ts';
import { usageRows, type UsageFilter } from './usage-rows.ts';

export interface EndpointUse {
  method: string;
  /** With parameters as `{name}`. */
  endpoint: string;
  requests: number;
  averageResponseMs: number;
}

/** The endpoints with most requests, most first. */
export async function readTopEndpoints(
  em: EntityManager,
  filter: Pick<UsageFilter, 'tenantId' | 'range'>,
  limit: number,
): Promise<EndpointUse[]> {
  const rows = await em.execute<{ method: string; endpoint: string; requests: string; average: string }[]>(
    sql`select method, endpoint, sum(events) as requests, round(sum(duration_ms) / sum(events)) as average
        from (${await usageRows(em, { ...filter, types: ['request'] })}) as used
        group by method, endpoint order by requests desc, endpoint, method limit ${limit}`,
  );
  return rows.map(({ method, endpoint, requests, average }) => ({
    method,
    endpoint,
    requests: Number(requests),
    averageResponseMs: Number(average),
  }));
}
