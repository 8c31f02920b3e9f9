import type { Credential } from '../../domain/accounts/access.ts';
import type { Role } from '../../domain/accounts/permissions.ts';
import type { Tier } from '../../domain/accounts/tiers.ts';

/** The authenticated caller. Every query takes its tenant from here. */
export interface Principal {
  tenantId: string;
  tier: Tier;
  role: Role;
  /** Of all keys and users of the tenant together; -1 means unlimited. */
  requestsPerMinute: number;
  /** -1 means unlimited. */
  creditsPerMonth: number;
  credential: Credential;
}

/** The columns of a tenant that a principal needs, as the statements that resolve one select them. */
export interface TenantLimitColumns {
  tier: Tier;
  max_requests_per_minute: number | null;
  max_monthly_credits: number | null;
}

/** The key of a caller, for rows that say who asked for something; undefined for a session. */
export function apiKeyIdOf(credential: Credential): string | undefined {
  return credential.kind === 'api_key' ? credential.keyId : undefined;
}
