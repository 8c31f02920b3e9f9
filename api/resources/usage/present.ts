import type { z } from 'zod';
import type { UsageEvent } from '../../../db/entities/usage/usage-event.ts';
import { creditReset } from '../../../domain/accounts/credits.ts';
import { TIER_LIMITS, type Tier } from '../../../domain/accounts/tiers.ts';
import { USAGE_LEVELS, type UsageLevel } from '../../../domain/operations.ts';
import { labelOf, type Bucket, DAY_MS, type TimeRange } from '../../../domain/usage/periods.ts';
import { shareOf } from '../../../domain/usage/projections.ts';
import type { CreditCheck, PlanUsage } from '../../../services/usage/read-plan.ts';
import type { UsageBreakdown } from '../../../services/usage/read-breakdown.ts';
import type { EndpointUse, BucketCount } from '../../../services/usage/read-requests-over-time.ts';
import type { UsageSummary } from '../../../services/usage/read-summary.ts';
import {
  OPERATION_NAMES,
  type creditCheck,
  type topEndpoints,
  type usageBreakdown,
  type usageEvent,
  type usageOverTime,
  type usagePlan,
  type usageSummary,
} from './schema.ts';

/** Operations that the contract has no count for are summed up as single ones. */
const SINGLE_OPERATIONS = ['describe', 'analyze', 'extract', 'digitize', 'ask'] as const;

export function presentSummary(
  summary: UsageSummary,
  range: TimeRange,
  tier: Tier,
): z.input<typeof usageSummary> {
  const { requests, failedRequests, operations, month } = summary;
  return {
    period: { start: range.from.toISOString(), end: lastMoment(range) },
    usage: {
      verify_count: 0,
      describe_count: SINGLE_OPERATIONS.reduce((sum, name) => sum + (operations[name] ?? 0), 0),
      batch_count: operations.batch_describe ?? 0,
      analyze_count: operations.analyze ?? 0,
      extract_count: operations.extract ?? 0,
      digitize_count: operations.digitize ?? 0,
      total_requests: requests,
      successful_requests: requests - failedRequests,
      failed_requests: failedRequests,
    },
    performance: { avg_response_time_ms: summary.averageResponseMs },
    limits: {
      monthly_limit: month.limit,
      used_this_month: month.used,
      remaining: month.remaining,
      percentage_used: shareOf(month.used, month.limit),
    },
    plan: {
      name: tier,
      requests_limit: month.limit,
      requests_used: month.used,
      requests_remaining: month.remaining,
      usage_percentage: shareOf(month.used, month.limit),
      renewal_date: creditReset(new Date()).toISOString(),
    },
    batch_jobs: summary.batches,
    total_credits: summary.credits,
  };
}

export function presentEvent(event: UsageEvent): z.input<typeof usageEvent> {
  return {
    id: event.id,
    timestamp: event.occurredAt.toISOString(),
    operation_type: event.type,
    operation_subtype: event.subtype ?? null,
    endpoint: event.endpoint ?? null,
    method: event.method ?? null,
    status_code: event.status ?? null,
    response_time_ms: event.durationMs,
    provider: event.provider ?? null,
    model: event.model ?? null,
    error_code: event.errorCode ?? null,
    api_key_id: event.apiKeyId ?? null,
  };
}

export function presentOverTime(
  counts: readonly BucketCount[],
  bucket: Bucket,
  range: TimeRange,
): z.input<typeof usageOverTime> {
  return {
    period_type: bucket,
    start_date: range.from.toISOString(),
    end_date: lastMoment(range),
    data: counts.map(({ start, requests }) => ({
      timestamp: start.toISOString(),
      value: requests,
      label: labelOf(bucket, start),
    })),
  };
}

export function presentTopEndpoints(endpoints: readonly EndpointUse[]): z.input<typeof topEndpoints> {
  return {
    endpoints: endpoints.map(({ method, endpoint, requests, averageResponseMs }) => ({
      endpoint: `${method} ${endpoint}`,
      operation_type: 'request',
      request_count: requests,
      avg_response_time_ms: averageResponseMs,
    })),
  };
}

export function presentCheck(check: CreditCheck): z.input<typeof creditCheck> {
  return {
    can_proceed: check.canProceed,
    current_usage: check.used,
    monthly_limit: check.limit,
    required_credits: check.required,
    available_credits: check.remaining,
    reset_date: creditReset(new Date()).toISOString(),
    message: check.message,
  };
}

export function presentBreakdown({
  uses,
  used,
  limit,
  remaining,
  recent,
}: UsageBreakdown): z.input<typeof usageBreakdown> {
  const now = new Date();
  return {
    current_month: now.toISOString().slice(0, 7),
    total_credits_used: used,
    monthly_limit: limit,
    remaining_credits: remaining,
    usage_percentage: shareOf(used, limit),
    by_verification_level: perLevel(uses.map(({ level, credits }) => [level, credits])),
    by_operation_type: perOperation(uses.map(({ operation, credits }) => [operation, credits])),
    recent_operations: recent.map((one) => ({
      timestamp: one.occurredAt.toISOString(),
      operation: one.operation,
      verification_level: one.level ?? UNLEVELED,
      credits: one.credits,
      endpoint: one.endpoint,
      status_code: one.status,
    })),
    reset_date: creditReset(now).toISOString(),
  };
}

export function presentPlan(
  { period, counts, byLevel, month, projection, requests, recommendations }: PlanUsage,
  tier: Tier,
  withProjections: boolean,
): z.input<typeof usagePlan> {
  const now = new Date();
  const { upgrade, suggestions } = recommendations;
  return {
    billing_period: {
      start_date: period.from.toISOString(),
      end_date: lastMoment(period),
      days_in_period: (period.to.getTime() - period.from.getTime()) / DAY_MS,
      days_remaining: Math.ceil((period.to.getTime() - now.getTime()) / DAY_MS),
      renewal_date: creditReset(now).toISOString(),
    },
    plan_details: {
      plan_name: tier,
      monthly_requests_limit: month.limit,
      requests_used: month.used,
      requests_remaining: month.remaining,
      usage_percentage: shareOf(month.used, month.limit),
      features: featuresOf(tier),
    },
    current_usage: {
      total_requests: counts.requests,
      by_service: perOperation(Object.entries(counts.operations)),
      by_verification_level: perLevel([...byLevel]),
    },
    projections: withProjections
      ? {
          projected_monthly_requests: requests.projected,
          daily_average_requests: requests.dailyAverage,
          trending: projection.trend,
          will_exceed_limit: projection.willExceed,
          projected_usage_percentage: projection.projectedPercentage,
        }
      : null,
    optimization_recommendations: {
      suggestions,
      upgrade_recommendation: {
        suggested: upgrade.suggested,
        reason: upgrade.reason,
        next_plan: upgrade.nextPlan,
        benefits: upgrade.benefits,
      },
    },
  };
}

function featuresOf(tier: Tier): z.input<typeof usagePlan>['plan_details']['features'] {
  const { filesPerBatch, prioritySupport } = TIER_LIMITS[tier];
  return {
    verification_levels: [...USAGE_LEVELS],
    rule_sets_limit: 0,
    rule_sets_used: 0,
    batch_processing: filesPerBatch > 1,
    priority_support: prioritySupport,
  };
}

/** How operations that have no levels count, so that the levels add up to all. */
const UNLEVELED: UsageLevel = 'standard';

function perLevel(counts: readonly (readonly [UsageLevel | null, number])[]) {
  return sums(
    USAGE_LEVELS,
    counts.map(([level, count]) => [level ?? UNLEVELED, count]),
  );
}

function perOperation(counts: readonly (readonly [string, number])[]) {
  return sums(OPERATION_NAMES, counts);
}

function sums(names: readonly string[], counts: readonly (readonly [string, number])[]) {
  const sumOf = (name: string) =>
    counts.reduce((sum, [counted, count]) => (counted === name ? sum + count : sum), 0);
  return Object.fromEntries(names.map((name) => [name, sumOf(name)]));
}

function lastMoment({ to }: TimeRange): string {
  return new Date(to.getTime() - 1).toISOString();
}
