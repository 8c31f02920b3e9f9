import type { Credential, SessionCredential } from '../../domain/accounts/access.ts';
import type { Role } from '../../domain/accounts/permissions.ts';
import type { Tier } from '../../domain/accounts/tiers.ts';
import { AppError } from '../../domain/app-error.ts';

/** The authenticated caller. Every query takes its tenant from here. */
export interface Principal {
  tenantId: string;
  tier: Tier;
  role: Role;
  /** Shared by all keys and users of the tenant; -1 means unlimited. */
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

/** The caller's API key, for rows that record the requester; undefined for a login session. */
export function apiKeyIdOf(credential: Credential): string | undefined {
  return credential.kind === 'api_key' ? credential.keyId : undefined;
}

/** A program or a person who changes settings that keys can change; its fields are those of an audit record. */
export interface Caller {
  tenantId: string;
  credential: Credential;
  ipAddress: string;
}

/** A person who changes settings; its fields are those of an audit record. */
export interface Actor {
  tenantId: string;
  userId: string;
  credential: SessionCredential;
  ipAddress: string;
}

/** The error for valid keys and sessions of a disabled tenant. */
export function tenantDisabled(): AppError {
  return new AppError(
    'TENANT_DISABLED',
    'this account is disabled; nothing in it is lost: ask the operator of this service to enable it',
  );
}

/** The person behind a request, and the session that they are logged in with. */
export interface CurrentLogin {
  userId: string;
  sessionId: string;
  tenantId: string;
}

/** @throws AppError LOGIN_SESSION_REQUIRED for an API key */
export function loginOf({ tenantId, credential }: Principal): CurrentLogin {
  if (credential.kind === 'session') {
    return { userId: credential.userId, sessionId: credential.sessionId, tenantId };
  }
  throw new AppError('LOGIN_SESSION_REQUIRED', 'this needs a login session');
}
