import type { SessionCredential } from '../../domain/accounts/access.ts';

/** A person who changes settings. Spread into an audit record it says who did it, where, and for which tenant. */
export interface Actor {
  tenantId: string;
  userId: string;
  credential: SessionCredential;
  ipAddress: string;
}
