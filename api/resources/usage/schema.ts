import { z } from 'zod';
import { TIERS } from '../../../domain/accounts/tiers.ts';
import { USAGE_EVENT_TYPES, USAGE_LEVELS } from '../../../domain/operations.ts';
import { BUCKETS } from '../../../domain/usage/periods.ts';
import { count, duration, timestamp } from '../fields.ts';

const unlimited = z.int().min(-1);
/** May exceed 100: a limit can be lowered below what is used. */
const share = z.number().min(0);
const averageMs = duration.meta({
  description: 'Mean time to the response, in milliseconds; 0 without requests',
});
const eventType = z.enum(USAGE_EVENT_TYPES).meta({
  description: '`request` for a request to the API, otherwise the operation of a model',
});
const level = z.enum(USAGE_LEVELS).meta({
  description: 'How thorough; operations that have no levels are `standard`',
});
const monthlyLimit = unlimited.meta({ description: 'Credits of a month; -1 means unlimited' });
const remaining = unlimited.meta({ description: 'Credits left this month; -1 means unlimited' });
const creditsUsed = count.meta({ description: 'Credits of this month, reserved or spent' });
const usedShare = share.meta({
  description: 'Credits used this month, in percent of the limit; 0 without one',
});
const resetDate = timestamp.meta({ description: 'When the credits of the next month are available' });

export const usageSummary = z
  .object({
    period: z
      .object({
        start: timestamp.meta({ description: 'First moment' }),
        end: timestamp.meta({ description: 'Last moment' }),
      })
      .meta({ description: 'The time that the figures are of' }),
    usage: z
      .object({
        verify_count: count.meta({ description: 'Always 0: there is no such operation' }),
        describe_count: count.meta({
          description:
            'Descriptions of files that were uploaded alone, and all analyses, extractions and digitizations',
        }),
        batch_count: count.meta({ description: 'Descriptions of files of upload sessions' }),
        analyze_count: count.meta({ description: 'Of `describe_count`, analyses of images' }),
        extract_count: count.meta({ description: 'Of `describe_count`, extractions' }),
        digitize_count: count.meta({ description: 'Of `describe_count`, digitizations of documents' }),
        total_requests: count.meta({ description: 'Requests to the API' }),
        successful_requests: count.meta({ description: 'Those with a status below 400' }),
        failed_requests: count.meta({ description: 'The others' }),
      })
      .meta({ description: 'Operations and requests' }),
    performance: z.object({ avg_response_time_ms: averageMs }).meta({ description: 'Speed of the API' }),
    limits: z
      .object({
        monthly_limit: monthlyLimit,
        used_this_month: creditsUsed,
        remaining,
        percentage_used: usedShare,
      })
      .meta({ description: 'Credits of the current month, whatever the period and the key' }),
    plan: z
      .object({
        name: z.enum(TIERS).meta({ description: 'The subscription' }),
        requests_limit: monthlyLimit,
        requests_used: creditsUsed,
        requests_remaining: remaining,
        usage_percentage: usedShare,
        renewal_date: resetDate,
      })
      .meta({ description: 'The plan and the current month; the requests of a plan are its credits' }),
    batch_jobs: count.meta({ description: 'Batches of files that were accepted' }),
    total_credits: count.meta({ description: 'Credits reserved or spent in the period' }),
  })
  .meta({ id: 'UsageSummary' });

const usageEvent = z
  .object({
    id: z.uuid().meta({ description: 'Id of the event' }),
    timestamp: timestamp.meta({ description: 'When it ended' }),
    operation_type: eventType,
    operation_subtype: z
      .string()
      .nullable()
      .meta({ description: 'The `operationId` of a request, the level of an operation that has one' }),
    endpoint: z
      .string()
      .nullable()
      .meta({ description: 'Path of a request, parameters as `{name}`; null for operations' }),
    method: z.string().nullable().meta({ description: 'Method of a request; null for operations' }),
    status_code: z
      .int()
      .nullable()
      .meta({ description: 'Status of a request, 499 if the client left; null for operations' }),
    response_time_ms: duration.meta({ description: 'Milliseconds that it took' }),
    provider: z.string().nullable().meta({ description: 'Provider of the model; null for requests' }),
    model: z.string().nullable().meta({ description: 'The model; null for requests' }),
    error_code: z.string().nullable().meta({ description: 'Why it failed; null if it did not' }),
    api_key_id: z
      .string()
      .nullable()
      .meta({ description: 'The API key of the request, or of the one that asked for it; null without one' }),
  })
  .meta({ id: 'UsageEvent' });

export const usageDetails = z
  .object({
    events: z.array(usageEvent).meta({ description: 'Newest first' }),
    pagination: z
      .object({
        page: z.int().min(1).meta({ description: 'Number of this page, from 1' }),
        page_size: z.int().min(1).meta({ description: 'Most events of a page' }),
        total_count: count.meta({ description: 'Number of events of all pages' }),
        total_pages: count,
      })
      .meta({ description: 'Which page this is, and of how many' }),
  })
  .meta({ id: 'UsageDetails' });

export const usageOverTime = z
  .object({
    period_type: z.enum(BUCKETS).meta({ description: 'What is summed up by (UTC)' }),
    start_date: timestamp.meta({ description: 'First moment' }),
    end_date: timestamp.meta({ description: 'Last moment' }),
    data: z
      .array(
        z.object({
          timestamp: timestamp.meta({ description: 'Beginning of the hour, day or month' }),
          value: count.meta({ description: 'Requests to the API' }),
          label: z.string().meta({ description: 'Its name, such as `2026-11-22`' }),
        }),
      )
      .meta({ description: 'In order, without gaps, as far as usage is kept and not in the future' }),
  })
  .meta({ id: 'UsageOverTime' });

export const topEndpoints = z
  .object({
    endpoints: z
      .array(
        z.object({
          endpoint: z
            .string()
            .meta({ description: 'Method and path, such as `GET /api/v2/files/{file_id}`' }),
          operation_type: eventType,
          request_count: count.meta({ description: 'Number of requests' }),
          avg_response_time_ms: averageMs,
        }),
      )
      .meta({ description: 'Most requests first' }),
  })
  .meta({ id: 'TopEndpoints' });

export const creditCheck = z
  .object({
    can_proceed: z.boolean(),
    current_usage: creditsUsed,
    monthly_limit: monthlyLimit,
    required_credits: count.meta({ description: 'Credits that the operations cost' }),
    available_credits: remaining,
    reset_date: resetDate,
    message: z.string().nullable().meta({ description: 'The shortfall, when there is one' }),
  })
  .meta({ id: 'CreditCheck' });

const perLevel = (what: string) =>
  z
    .object(
      Object.fromEntries(USAGE_LEVELS.map((name) => [name, count.meta({ description: `${what}, ${name}` })])),
    )
    .meta({ description: `${what} by level; those that have no levels are \`standard\`` });

/** Every operation of the contract's vocabulary, those that the product does not do included. */
export const OPERATION_NAMES = [
  'describe',
  'verify',
  'batch_describe',
  'batch_verify',
  'extract',
  'analyze',
  'digitize',
  'chat',
] as const;
const perOperation = (what: string) =>
  z
    .object(
      Object.fromEntries(
        OPERATION_NAMES.map((name) => [name, count.meta({ description: `${what}: ${name}` })]),
      ),
    )
    .meta({ description: `${what} by operation; 0 for what the product does not do` });

export const usageBreakdown = z
  .object({
    current_month: z.string().meta({ description: 'As `YYYY-MM`' }),
    total_credits_used: creditsUsed,
    monthly_limit: monthlyLimit,
    remaining_credits: remaining,
    usage_percentage: usedShare,
    by_verification_level: perLevel('Credits'),
    by_operation_type: perOperation('Credits'),
    recent_operations: z
      .array(
        z.object({
          timestamp: timestamp.meta({ description: 'When it ended' }),
          operation: eventType,
          verification_level: level,
          credits: count.meta({ description: 'What it cost; 0 if that was refunded' }),
          endpoint: z.string().nullable().meta({ description: 'Null: operations run in the background' }),
          status_code: z.int().nullable().meta({ description: 'Null: operations run in the background' }),
        }),
      )
      .meta({ description: 'The last ten operations, newest first' }),
    reset_date: resetDate,
  })
  .meta({ id: 'UsageBreakdown' });

export const usagePlan = z
  .object({
    billing_period: z
      .object({
        start_date: timestamp.meta({ description: 'First moment of the period' }),
        end_date: timestamp.meta({ description: 'Last moment of the period' }),
        days_in_period: z.int().min(28).meta({ description: 'Days of the period' }),
        days_remaining: count.meta({ description: 'Days left, today included' }),
        renewal_date: resetDate,
      })
      .meta({ description: 'The calendar month, quarter or year (UTC)' }),
    plan_details: z
      .object({
        plan_name: z.enum(TIERS).meta({ description: 'The subscription' }),
        monthly_requests_limit: monthlyLimit,
        requests_used: creditsUsed,
        requests_remaining: remaining,
        usage_percentage: usedShare,
        features: z
          .object({
            verification_levels: z.array(level).meta({ description: 'Levels that operations may have' }),
            rule_sets_limit: count.meta({ description: 'Always 0: there are no rule sets' }),
            rule_sets_used: count.meta({ description: 'Always 0: there are no rule sets' }),
            batch_processing: z.boolean().meta({ description: 'Whether a request may have several files' }),
            priority_support: z.boolean().meta({ description: 'Whether support answers first' }),
          })
          .meta({ description: 'What the plan includes' }),
      })
      .meta({ description: 'The plan and the current month; the requests of a plan are its credits' }),
    current_usage: z
      .object({
        total_requests: count.meta({ description: 'Requests to the API' }),
        by_service: perOperation('Operations'),
        by_verification_level: perLevel('Operations'),
      })
      .meta({ description: 'Use in the period' }),
    projections: z
      .object({
        projected_monthly_requests: count.meta({
          description: 'Credits that this month will have used at its end, at its daily average',
        }),
        daily_average_requests: z.number().min(0).meta({ description: 'Credits a day, this month' }),
        trending: z
          .enum(['increasing', 'stable', 'decreasing'])
          .meta({ description: 'The last 7 days against the 7 before, beyond 10 %' }),
        will_exceed_limit: z.boolean().meta({ description: 'Whether the projection exceeds the limit' }),
        projected_usage_percentage: share.meta({
          description: 'The projection in percent of the limit; 0 without one',
        }),
      })
      .nullable()
      .meta({ description: 'Where the month is heading; null if `include_projections` is false' }),
    optimization_recommendations: z
      .object({
        suggestions: z.array(z.string()).meta({ description: 'Sentences; see the API guide for the rules' }),
        upgrade_recommendation: z
          .object({
            suggested: z.boolean().meta({ description: 'Whether the next plan would fit better' }),
            reason: z.string().nullable().meta({ description: 'Why; null if it is not suggested' }),
            next_plan: z
              .enum(TIERS)
              .nullable()
              .meta({ description: 'The plan; null if it is not suggested' }),
            benefits: z.array(z.string()).meta({ description: 'What it has more than the current one' }),
          })
          .meta({ description: 'Whether to take the next plan' }),
      })
      .meta({ description: 'What would make the use better' }),
  })
  .meta({ id: 'UsagePlan' });
