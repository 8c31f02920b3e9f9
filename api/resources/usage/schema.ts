import { z } from 'zod';
import { USAGE_LEVELS } from '../../../domain/operations.ts';
import { componentField, count, duration, timestamp } from '../fields.ts';
import { usageBucket, usageLevel, tier, usageEventType } from '../enums.ts';

const unlimited = z.int().min(-1);
/** May exceed 100: a limit can be lowered below the usage. */
const share = z.number().min(0);
const averageMs = duration.describe('Mean time to the response, in milliseconds; 0 without requests');
const eventType = usageEventType.describe(
  '`request` for a request to the API, otherwise the operation of a model',
);
const level = usageLevel.describe('How thorough; operations that have no levels are `standard`');
const monthlyLimit = unlimited.describe('Credits of a month; -1 means unlimited');
const remaining = unlimited.describe('Credits left this month; -1 means unlimited');
const creditsUsed = count.describe('Credits of this month, reserved or spent');
const usedShare = share.describe('Credits used this month, in percent of the limit; 0 without one');
const resetDate = timestamp.describe('When the credits of the next month are available');

export const usageSummary = z
  .object({
    period: z
      .object({
        start: timestamp.describe('First moment'),
        end: timestamp.describe('Last moment'),
      })
      .describe('Period of the figures'),
    usage: z
      .object({
        verify_count: count.describe('Always 0: there is no such operation'),
        describe_count: count.describe(
          'Descriptions of files that were uploaded alone, and all analyses, extractions and digitizations',
        ),
        batch_count: count.describe('Descriptions of files of upload sessions'),
        analyze_count: count.describe('Of `describe_count`, analyses of images'),
        extract_count: count.describe('Of `describe_count`, extractions'),
        digitize_count: count.describe('Of `describe_count`, digitizations of documents'),
        total_requests: count.describe('Requests to the API'),
        successful_requests: count.describe('Those with a status below 400'),
        failed_requests: count.describe('Those with a status of 400 or more'),
      })
      .describe('Operations and requests'),
    performance: z.object({ avg_response_time_ms: averageMs }).describe('Speed of the API'),
    limits: z
      .object({
        monthly_limit: monthlyLimit,
        used_this_month: creditsUsed,
        remaining,
        percentage_used: usedShare,
      })
      .describe('Credits of the current month, whatever the period and the key'),
    plan: z
      .object({
        name: tier.describe('The subscription'),
        requests_limit: monthlyLimit,
        requests_used: creditsUsed,
        requests_remaining: remaining,
        usage_percentage: usedShare,
        renewal_date: resetDate,
      })
      .describe('The plan and the current month; the requests of a plan are its credits'),
    batch_jobs: count.describe('Batches of files that were accepted'),
    total_credits: count.describe('Credits reserved or spent in the period'),
  })
  .meta({ id: 'UsageSummary' });

export const usageEvent = z
  .object({
    id: z.uuid().describe('Id of the event'),
    timestamp: timestamp.describe('When it ended'),
    operation_type: eventType,
    operation_subtype: z
      .string()
      .nullable()
      .describe('The `operationId` of a request, or the level of an operation; null without one'),
    endpoint: z
      .string()
      .nullable()
      .describe('Path of a request, parameters as `{name}`; null for operations'),
    method: z.string().nullable().describe('Method of a request; null for operations'),
    status_code: z
      .int()
      .nullable()
      .describe('Status of a request, 499 if the client left; null for operations'),
    response_time_ms: duration.describe('Duration in milliseconds'),
    provider: z.string().nullable().describe('Provider of the model; null for requests'),
    model: z.string().nullable().describe('The model; null for requests'),
    error_code: z.string().nullable().describe('Why it failed; null if it did not'),
    api_key_id: z
      .string()
      .nullable()
      .describe('The API key of the request, or of the one that asked for it; null without one'),
  })
  .meta({ id: 'UsageEvent' });

export const usageDetails = z
  .object({
    events: z.array(usageEvent).describe('Events, newest first'),
    pagination: z
      .object({
        page: z.int().min(1).describe('Number of this page, from 1'),
        page_size: z.int().min(1).describe('Maximum number of events per page'),
        total_count: count.describe('Number of events of all pages'),
        total_pages: count.describe('Number of pages'),
      })
      .describe('Which page this is, and of how many'),
  })
  .meta({ id: 'UsageDetails' });

export const usageOverTime = z
  .object({
    period_type: usageBucket.describe('What is summed up by (UTC)'),
    start_date: timestamp.describe('First moment'),
    end_date: timestamp.describe('Last moment'),
    data: z
      .array(
        z.object({
          timestamp: timestamp.describe('Beginning of the hour, day or month'),
          value: count.describe('Requests to the API'),
          label: z.string().describe('Its name, such as `2026-11-22`'),
        }),
      )
      .describe('In order, without gaps, as far as usage is kept and not in the future'),
  })
  .meta({ id: 'UsageOverTime' });

export const topEndpoints = z
  .object({
    endpoints: z
      .array(
        z.object({
          endpoint: z.string().describe('Method and path, such as `GET /api/v2/files/{file_id}`'),
          operation_type: eventType,
          request_count: count.describe('Number of requests'),
          avg_response_time_ms: averageMs,
        }),
      )
      .describe('Endpoints, most requests first'),
  })
  .meta({ id: 'TopEndpoints' });

export const creditCheck = z
  .object({
    can_proceed: z.boolean().describe('Whether the credits suffice'),
    current_usage: creditsUsed,
    monthly_limit: monthlyLimit,
    required_credits: count.describe('Credits that the operations cost'),
    available_credits: remaining,
    reset_date: resetDate,
    message: z.string().nullable().describe('The shortfall; null if there is none'),
  })
  .meta({ id: 'CreditCheck' });

const byLevel = z
  .object(Object.fromEntries(USAGE_LEVELS.map((name) => [name, count.describe(`Those of level ${name}`)])))
  .meta({ id: 'UsageByLevel' });
const perLevel = (what: string) =>
  componentField(byLevel, `${what} by level; those that have no levels are \`standard\``);

/** Every operation named in the contract, including those that do not exist here. */
export const OPERATION_NAMES = [
  'describe',
  'verify',
  'batch_describe',
  'batch_verify',
  'extract',
  'analyze',
  'digitize',
  'ask',
  'chat',
] as const;
const byOperation = z
  .object(Object.fromEntries(OPERATION_NAMES.map((name) => [name, count.describe(`Those of ${name}`)])))
  .meta({ id: 'UsageByOperation' });
const perOperation = (what: string) =>
  componentField(byOperation, `${what} by operation; 0 for what the product does not do`);

export const usageBreakdown = z
  .object({
    current_month: z.string().describe('The current month, as `YYYY-MM`'),
    total_credits_used: creditsUsed,
    monthly_limit: monthlyLimit,
    remaining_credits: remaining,
    usage_percentage: usedShare,
    by_verification_level: perLevel('Credits'),
    by_operation_type: perOperation('Credits'),
    recent_operations: z
      .array(
        z.object({
          timestamp: timestamp.describe('When it ended'),
          operation: eventType,
          verification_level: level,
          credits: count.describe('What it cost; 0 if that was refunded'),
          endpoint: z.string().nullable().describe('Always null: operations run in the background'),
          status_code: z.int().nullable().describe('Always null: operations run in the background'),
        }),
      )
      .describe('The last ten operations, newest first'),
    reset_date: resetDate,
  })
  .meta({ id: 'UsageBreakdown' });

export const usagePlan = z
  .object({
    billing_period: z
      .object({
        start_date: timestamp.describe('First moment of the period'),
        end_date: timestamp.describe('Last moment of the period'),
        days_in_period: z.int().min(28).describe('Days of the period'),
        days_remaining: count.describe('Days left, today included'),
        renewal_date: resetDate,
      })
      .describe('The calendar month, quarter or year (UTC)'),
    plan_details: z
      .object({
        plan_name: tier.describe('The subscription'),
        monthly_requests_limit: monthlyLimit,
        requests_used: creditsUsed,
        requests_remaining: remaining,
        usage_percentage: usedShare,
        features: z
          .object({
            verification_levels: z.array(level).describe('Levels that operations may have'),
            rule_sets_limit: count.describe('Always 0: there are no rule sets'),
            rule_sets_used: count.describe('Always 0: there are no rule sets'),
            batch_processing: z.boolean().describe('Whether a request may have several files'),
            priority_support: z.boolean().describe('Whether support answers first'),
          })
          .describe('What the plan includes'),
      })
      .describe('The plan and the current month; the requests of a plan are its credits'),
    current_usage: z
      .object({
        total_requests: count.describe('Requests to the API'),
        by_service: perOperation('Operations'),
        by_verification_level: perLevel('Operations'),
      })
      .describe('Use in the period'),
    projections: z
      .object({
        projected_monthly_requests: count.describe(
          'Requests to the API that this month will have at its end, at its daily average',
        ),
        daily_average_requests: z.number().min(0).describe('Requests to the API a day, this month'),
        trending: z
          .enum(['increasing', 'stable', 'decreasing'])
          .describe('Credits of the last 7 days against the 7 before, beyond 10 %'),
        will_exceed_limit: z.boolean().describe('Whether the credits of the month will exceed the limit'),
        projected_usage_percentage: share.describe(
          'Credits that the month will have used, in percent of the limit; 0 without one',
        ),
      })
      .nullable()
      .describe('Where the month is heading; null if `include_projections` is false'),
    optimization_recommendations: z
      .object({
        suggestions: z.array(z.string()).describe('Sentences; see the API guide for the rules'),
        upgrade_recommendation: z
          .object({
            suggested: z.boolean().describe('Whether the next plan would fit better'),
            reason: z.string().nullable().describe('Why; null if it is not suggested'),
            next_plan: tier.nullable().describe('The plan; null if it is not suggested'),
            benefits: z.array(z.string()).describe('What it offers beyond the current one'),
          })
          .describe('Whether to take the next plan'),
      })
      .describe('What would make the use better'),
  })
  .meta({ id: 'UsagePlan' });
