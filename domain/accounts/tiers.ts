export const TIERS = ['free', 'starter', 'professional', 'enterprise'] as const;
export type Tier = (typeof TIERS)[number];

/** No limit, as the contract represents it. */
export const UNLIMITED = -1;

export interface TierLimits {
  /** Whether API keys work at all. */
  apiAccess: boolean;
  requestsPerMinute: number;
  /** -1 means unlimited. */
  creditsPerMonth: number;
  filesPerBatch: number;
  /** Batch size of the legacy endpoints. */
  filesPerLegacyBatch: number;
  prioritySupport: boolean;
}

export const TIER_LIMITS: Readonly<Record<Tier, TierLimits>> = {
  free: {
    apiAccess: false,
    requestsPerMinute: 30,
    creditsPerMonth: 50,
    filesPerBatch: 10,
    filesPerLegacyBatch: 10,
    prioritySupport: false,
  },
  starter: {
    apiAccess: true,
    requestsPerMinute: 30,
    creditsPerMonth: 1_000,
    filesPerBatch: 50,
    filesPerLegacyBatch: 20,
    prioritySupport: false,
  },
  professional: {
    apiAccess: true,
    requestsPerMinute: 100,
    creditsPerMonth: 10_000,
    filesPerBatch: 100,
    filesPerLegacyBatch: 20,
    prioritySupport: false,
  },
  enterprise: {
    apiAccess: true,
    requestsPerMinute: 500,
    creditsPerMonth: UNLIMITED,
    filesPerBatch: 200,
    filesPerLegacyBatch: 50,
    prioritySupport: true,
  },
};

/** The limits of a tenant: its own, or else those of its tier. */
export interface TenantLimits {
  /** -1 means unlimited, for both. */
  requestsPerMinute: number;
  creditsPerMonth: number;
}

export function limitsOf(tier: Tier, own: { [L in keyof TenantLimits]: number | null }): TenantLimits {
  const { requestsPerMinute, creditsPerMonth } = TIER_LIMITS[tier];
  return {
    requestsPerMinute: own.requestsPerMinute ?? requestsPerMinute,
    creditsPerMonth: own.creditsPerMonth ?? creditsPerMonth,
  };
}
