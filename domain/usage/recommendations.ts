import { TIER_LIMITS, TIERS, UNLIMITED, type Tier } from '../accounts/tiers.ts';
import { USAGE_LEVELS, type UsageLevel } from '../operations.ts';
import type { Projection } from './projections.ts';

/** Thresholds of the rules: shares in percent, and the minimum use they apply to. */
const MUCH_USED = 80;
const MANY_FAILED = 5;
const MANY_THOROUGH = 50;
const MIN_REQUESTS = 100;
const MIN_OPERATIONS = 20;

export interface UsageFacts {
  tier: Tier;
  /** Use of the month's credits, in percent. */
  usedPercentage: number;
  projection: Projection;
  requests: number;
  failedRequests: number;
  /** Descriptions of files uploaded alone, and of files in upload sessions. */
  singleDescriptions: number;
  batchDescriptions: number;
  /** Operations by level; null for operations without levels. */
  byLevel: ReadonlyMap<UsageLevel | null, number>;
}

export interface Recommendations {
  /** Advice, in full sentences. */
  suggestions: string[];
  upgrade: Upgrade;
}

export interface Upgrade {
  suggested: boolean;
  reason: string | null;
  nextPlan: Tier | null;
  benefits: string[];
}

/** Suggestions for better use of a plan, by fixed rules. */
export function recommend(facts: UsageFacts): Recommendations {
  return { suggestions: suggestionsFor(facts), upgrade: upgradeFor(facts) };
}

function suggestionsFor(facts: UsageFacts): string[] {
  const { usedPercentage, projection, requests, failedRequests, singleDescriptions, batchDescriptions } =
    facts;
  const suggestions: string[] = [];
  if (usedPercentage >= MUCH_USED) {
    suggestions.push(
      `${usedPercentage} % of this month's credits are used; POST /usage/check says what is left.`,
    );
  } else if (projection.willExceed) {
    suggestions.push("At this month's daily average the credits run out before the month ends.");
  }
  const failed = (failedRequests / Math.max(1, requests)) * 100;
  if (requests >= MIN_REQUESTS && failed >= MANY_FAILED) {
    suggestions.push(
      `${failedRequests} of ${requests} requests failed; GET /usage/details shows their status and error code.`,
    );
  }
  if (singleDescriptions >= MIN_OPERATIONS && batchDescriptions === 0) {
    suggestions.push('Upload several files in one request with POST /files/upload/batch.');
  }
  const countOf = (level: UsageLevel) => facts.byLevel.get(level) ?? 0;
  const leveled = USAGE_LEVELS.reduce((sum, level) => sum + countOf(level), 0);
  const thorough = countOf('thorough') + countOf('critical');
  if (leveled >= MIN_OPERATIONS && (thorough / leveled) * 100 >= MANY_THOROUGH) {
    suggestions.push('Most operations are thorough or critical, at 4 credits; standard costs 2, quick 1.');
  }
  return suggestions;
}

function upgradeFor({ tier, usedPercentage, projection }: UsageFacts): Upgrade {
  const nextPlan = TIERS[TIERS.indexOf(tier) + 1];
  const reason = projection.willExceed
    ? `${projection.projected} credits are projected for this month, more than the plan has`
    : usedPercentage >= MUCH_USED
      ? `${usedPercentage} % of this month's credits are used`
      : undefined;
  if (!nextPlan || !reason) return { suggested: false, reason: null, nextPlan: null, benefits: [] };
  return { suggested: true, reason, nextPlan, benefits: benefitsOf(tier, nextPlan) };
}

function benefitsOf(tier: Tier, next: Tier): string[] {
  const [has, gets] = [TIER_LIMITS[tier], TIER_LIMITS[next]];
  const credits = gets.creditsPerMonth === UNLIMITED ? 'unlimited' : String(gets.creditsPerMonth);
  return [
    ...(gets.apiAccess && !has.apiAccess ? ['API keys'] : []),
    ...(gets.creditsPerMonth !== has.creditsPerMonth ? [`${credits} credits a month`] : []),
    ...(gets.requestsPerMinute > has.requestsPerMinute
      ? [`${gets.requestsPerMinute} requests a minute`]
      : []),
    ...(gets.filesPerBatch > has.filesPerBatch ? [`${gets.filesPerBatch} files in a batch`] : []),
    ...(gets.prioritySupport && !has.prioritySupport ? ['priority support'] : []),
  ];
}
