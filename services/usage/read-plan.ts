import type { EntityManager } from '@mikro-orm/postgresql';
import { USAGE_LEVELS, type UsageEventType, type UsageLevel } from '../../domain/operations.ts';
import { billingPeriod, type BillingPeriod, type TimeRange } from '../../domain/usage/periods.ts';
import {
  extrapolate,
  projectMonth,
  shareOf,
  trendWeeks,
  type Projection,
} from '../../domain/usage/projections.ts';
import { recommend, type Recommendations } from '../../domain/usage/recommendations.ts';
import type { Principal } from '../accounts/principal.ts';
import { readCreditUsage, type LimitUsage } from '../accounts/tenants/read-limits.ts';
import { sql } from '../shared/sql.ts';
import { readCreditUse, totalUse } from './credit-use.ts';
import { countEvents, type EventCounts } from './read-summary.ts';
import { usageRows } from './usage-rows.ts';
import { LEVEL_CREDITS } from '../../domain/accounts/credits.ts';
import { UNLIMITED } from '../../domain/accounts/tiers.ts';

export interface PlanUsage {
  period: TimeRange;
  /** Requests and operations of the period. */
  counts: EventCounts;
  /** Operations of the period; null stands for those that have no levels. */
  byLevel: ReadonlyMap<UsageLevel | null, number>;
  /** Credits of the current month. */
  month: LimitUsage;
  projection: Projection;
  /** Of requests in the current month. */
  requests: ReturnType<typeof extrapolate>;
  recommendations: Recommendations;
}

/** A tenant's usage in the current period, and its monthly limits by plan. */
export async function readPlan(
  em: EntityManager,
  principal: Principal,
  periodName: BillingPeriod,
  now = new Date(),
): Promise<PlanUsage> {
  const { tenantId, tier } = principal;
  const period = billingPeriod(periodName, now);
  const counts = await countEvents(em, { tenantId, range: period });
  const byLevel = await countByLevel(em, { tenantId, range: period });
  const month = await readCreditUsage(em, principal, now);
  const creditsOf = async (range: TimeRange) => totalUse(await readCreditUse(em, { tenantId, range }));
  const { lastWeek, weekBefore } = trendWeeks(now);
  const facts = { ...month, lastWeek: await creditsOf(lastWeek), weekBefore: await creditsOf(weekBefore) };
  const thisMonth = billingPeriod('month', now);
  const projection = projectMonth(facts, thisMonth, now);
  const made = periodName === 'month' ? counts : await countEvents(em, { tenantId, range: thisMonth });
  const recommendations = recommend({
    tier,
    usedPercentage: shareOf(month.used, month.limit),
    projection,
    requests: counts.requests,
    failedRequests: counts.failedRequests,
    singleDescriptions: counts.operations.describe ?? 0,
    batchDescriptions: counts.operations.batch_describe ?? 0,
    byLevel,
  });
  const requests = extrapolate(made.requests, thisMonth, now);
  return { period, counts, byLevel, month, projection, requests, recommendations };
}

async function countByLevel(
  em: EntityManager,
  filter: { tenantId: string; range: TimeRange },
): Promise<Map<UsageLevel | null, number>> {
  const rows = await em.execute<{ level: string; type: UsageEventType; events: string }[]>(
    sql`select subtype as level, sum(events) as events from (${await usageRows(em, filter)}) as used
        where type <> 'request' group by subtype`,
  );
  return new Map(
    rows.map(({ level, events }) => [USAGE_LEVELS.find((one) => one === level) ?? null, Number(events)]),
  );
}

export interface CreditCheck extends LimitUsage {
  canProceed: boolean;
  required: number;
  /** The shortfall, when there is one. */
  message: string | null;
}

/** Checks a tenant's remaining credits of the month against this many operations of a level. Reserves nothing. */
export async function checkCredits(
  em: EntityManager,
  principal: Principal,
  { level, items }: { level: UsageLevel; items: number },
): Promise<CreditCheck> {
  const month = await readCreditUsage(em, principal);
  const required = items * LEVEL_CREDITS[level];
  const { limit, remaining } = month;
  const canProceed = limit === UNLIMITED || required <= remaining;
  const message = canProceed
    ? null
    : `${required} credits needed, ${remaining} of ${limit} left this month (${required - remaining} short)`;
  return { ...month, canProceed, required, message };
}
