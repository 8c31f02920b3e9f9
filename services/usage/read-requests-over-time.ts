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
 * Requests of a tenant by hour, day or month, in order. Those without requests are there, too, from the beginning of the
 * range or of what is kept, until the end of the range or now.
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
