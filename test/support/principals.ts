import type { Principal } from '../../services/accounts/principal.ts';
import { registerMedia } from '../../services/all-media.ts';
import { TIER_LIMITS, type Tier } from '../../domain/accounts/tiers.ts';

// Entry points register the media; tests that call services are entry points.
registerMedia();

/** The principal of an owner with an API key, for direct calls of services. */
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
