import { raw } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { bucketOf, bucketsIn, type Bucket } from '../../domain/usage/periods.ts';
import { sql } from '../shared/sql.ts';
import { keptPart, usageRows, type UsageFilter } from './usage-rows.ts';

export interface BucketCount {
  start: Date;
  requests: number;
}

/**
 * Requests of a tenant by hour, day or month, in order. Includes intervals without requests, from the beginning of the
 * range or of the retained data, until the end of the range or now.
 */
export async function readRequestsOverTime(
  em: EntityManager,
  filter: Omit<UsageFilter, 'types'>,
  bucket: Bucket,
  now = new Date(),
): Promise<BucketCount[]> {
  const rows = await usageRows(em, { ...filter, types: ['request'] }, bucket === 'hour' ? 'hour' : 'day');
  const counted = await em.execute<{ start: Date; requests: string }[]>(
    sql`select date_trunc(${raw(`'${bucket}'`)}, at, 'UTC') as start, sum(events) as requests
        from (${rows}) as used group by 1`,
  );
  const requests = new Map(counted.map((row) => [new Date(row.start).getTime(), Number(row.requests)]));
  const kept = keptPart(filter.range, now);
  const until = new Date(Math.min(kept.to.getTime(), now.getTime()));
  return bucketsIn(bucket, { from: bucketOf(bucket, kept.from), to: until }).map((start) => ({
    start,
    requests: requests.get(start.getTime()) ?? 0,
  }));
}

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
