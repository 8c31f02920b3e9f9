import { TIER_LIMITS, UNLIMITED, type Tier } from './tiers.ts';

/** Whether a number of files can be uploaded and described this month, and within which limits. */
export interface QuotaCheck {
  canProceed: boolean;
  /** Files asked for; the description of one costs one credit. */
  requested: number;
  /** Credits left; -1 means unlimited. */
  available: number;
  /** -1 means unlimited. */
  monthlyLimit: number;
  currentUsage: number;
  prepaidCredits: number;
  maxBatchSize: number;
  maxConcurrentUploads: number;
  /** The shortfall, when there is one. */
  message: string | null;
}

export interface QuotaFacts {
  tier: Tier;
  files: number;
  /** -1 means unlimited. */
  creditsPerMonth: number;
  /** Credits that one file costs. */
  creditsPerFile: number;
  /** Credits of this month that are reserved or spent. */
  used: number;
  /** Credits beyond the monthly ones. */
  prepaid: number;
  /** Memory for the uploads of one tenant, and the most that one upload uses. */
  uploadMemory: number;
  uploadBuffer: number;
}

/** Compares a client's planned upload with what its tier has left. The batch size limits a request, not the month. */
export function checkQuota(facts: QuotaFacts): QuotaCheck {
  const { tier, files, used, prepaid, creditsPerMonth } = facts;
  const { filesPerBatch } = TIER_LIMITS[tier];
  const unlimited = creditsPerMonth === UNLIMITED;
  const available = unlimited ? UNLIMITED : Math.max(0, creditsPerMonth - used) + prepaid;
  const needed = files * facts.creditsPerFile;
  const canProceed = unlimited || needed <= available;
  return {
    canProceed,
    requested: files,
    available,
    monthlyLimit: creditsPerMonth,
    currentUsage: used,
    prepaidCredits: prepaid,
    maxBatchSize: filesPerBatch,
    maxConcurrentUploads: Math.floor(facts.uploadMemory / facts.uploadBuffer),
    message: canProceed ? null : shortfall({ needed, available, creditsPerMonth }),
  };
}

/** How many credits are missing. */
export function shortfall({
  needed,
  available,
  creditsPerMonth,
}: {
  needed: number;
  available: number;
  creditsPerMonth: number;
}): string {
  const missing = needed - available;
  return `${counted(needed, 'credit')} needed, ${available} of ${creditsPerMonth} left this month (${missing} short)`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
