import type { EntityManager } from '@mikro-orm/postgresql';
import type { UsageEventType } from '../../domain/operations.ts';
import type { TimeRange } from '../../domain/usage/periods.ts';
import type { Principal } from '../accounts/principal.ts';
import { readCreditUsage, type LimitUsage } from '../accounts/tenants/read-limits.ts';
import { sql } from '../shared/sql.ts';
import { readCreditUse, totalUse } from './credit-use.ts';
import { usageRows } from './usage-rows.ts';

/** The operations of the API that take one batch of files in each request. */
export const BATCH_REQUESTS: readonly string[] = ['uploadBatch', 'legacyUploadBatch', 'legacyPrepareBatch'];

export interface EventCounts {
  requests: number;
  failedRequests: number;
  /** Mean, in milliseconds; 0 without requests. */
  averageResponseMs: number;
  /** Accepted requests for batches. */
  batches: number;
  /** Operations by kind; those without any are absent. */
  operations: Partial<Record<UsageEventType, number>>;
}

export interface UsageSummary extends EventCounts {
  /** Credits reserved or spent in this time. */
  credits: number;
  /** In the current month. */
  month: LimitUsage;
}

/** A tenant's usage in a time range, and the rest of its month. */
export async function readSummary(
  em: EntityManager,
  principal: Principal,
  filter: { range: TimeRange; apiKeyId?: string | undefined },
): Promise<UsageSummary> {
  const { tenantId } = principal;
  return {
    ...(await countEvents(em, { tenantId, ...filter })),
    credits: totalUse(await readCreditUse(em, { tenantId, ...filter })),
    month: await readCreditUsage(em, principal),
  };
}

/** Requests and operations in a time range. */
export async function countEvents(
  em: EntityManager,
  filter: { tenantId: string; range: TimeRange; apiKeyId?: string | undefined },
): Promise<EventCounts> {
  const rows = await em.execute<
    { type: UsageEventType; subtype: string; events: string; failed: string; duration_ms: string }[]
  >(
    sql`select type, case when type = 'request' then subtype else '' end as subtype, sum(events) as events,
          sum(failed) as failed, sum(duration_ms) as duration_ms
        from (${await usageRows(em, filter)}) as used group by 1, 2`,
  );
  const counts = { requests: 0, failedRequests: 0, averageResponseMs: 0, batches: 0 };
  const operations: EventCounts['operations'] = {};
  let durationMs = 0;
  for (const { type, subtype, ...sums } of rows) {
    const [events, failed] = [Number(sums.events), Number(sums.failed)];
    if (type !== 'request') {
      operations[type] = (operations[type] ?? 0) + events;
      continue;
    }
    counts.requests += events;
    counts.failedRequests += failed;
    durationMs += Number(sums.duration_ms);
    if (BATCH_REQUESTS.includes(subtype)) counts.batches += events - failed;
  }
  if (counts.requests > 0) counts.averageResponseMs = Math.round(durationMs / counts.requests);
  return { ...counts, operations };
}
