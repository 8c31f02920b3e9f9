import { TIER_LIMITS, UNLIMITED, type Tier } from './tiers.ts';

/** Whether a number of files can be uploaded and described this month, and the limits that apply. */
export interface QuotaCheck {
  canProceed: boolean;
  /** Files requested; describing one costs one credit. */
  requested: number;
  /** Credits left; -1 means unlimited. */
  available: number;
  /** -1 means unlimited. */
  monthlyLimit: number;
  currentUsage: number;
  prepaidCredits: number;
  maxBatchSize: number;
  maxConcurrentUploads: number;
  /** The shortfall; null without one. */
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
  /** Bytes of memory for all uploads of one tenant, and the maximum for one upload. */
  uploadMemory: number;
  uploadBuffer: number;
}

/** Compares a planned upload with the tier's remaining credits. The batch size limits a request, not the month. */
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

/** The number of missing credits. */
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
