import type { Principal } from '../../services/accounts/principal.ts';
import { registerMedia } from '../../services/all-media.ts';
import { TIER_LIMITS, type Tier } from '../../domain/accounts/tiers.ts';

// Tests that call services are their own entry points.
registerMedia();

/** The owner of a tenant with an API key, for use cases that are called without the API. */
export function ownerOf(tenantId: string, tier: Tier = 'enterprise'): Principal {
  return {
    tenantId,
    tier,
    role: 'owner',
    requestsPerMinute: -1,
    creditsPerMonth: TIER_LIMITS[tier].creditsPerMonth,
    credential: { kind: 'api_key', keyId: '00000000', scopes: null },
  };
}
