import { roleAllows, type Permission, type Role } from './permissions.ts';
import { TIER_LIMITS, type Tier } from './tiers.ts';

/** The requirements of an action. */
interface AccessRule {
  /** Absent for actions that every user may take on their own account. */
  permission?: Permission;
  /** Keys are for programs; changing settings requires a logged-in person. */
  by: 'key or session' | 'session';
  /** Requires a tier with API access. */
  apiAccess?: true;
}

/**
 * Every kind of operation and who may do it. A route names its action in `permit`; the actions that accept keys are the
 * scopes of keys.
 */
export const ACTIONS = {
  'files.read': { permission: 'VIEW', by: 'key or session' },
  'files.write': { permission: 'EDIT', by: 'key or session' },
  'files.erase': { permission: 'ADMIN', by: 'key or session' },
  'extract.run': { permission: 'EDIT', by: 'key or session' },
  'usage.read': { permission: 'VIEW', by: 'key or session' },
  'webhooks.manage': { permission: 'ADMIN', by: 'key or session' },
  'audit.read': { permission: 'ADMIN', by: 'key or session' },
  'account.manage': { by: 'session' },
  'tenant.read': { permission: 'VIEW', by: 'session' },
  'tenant.manage': { permission: 'ADMIN', by: 'session' },
  'members.manage': { permission: 'ADMIN', by: 'session' },
  'storage.manage': { permission: 'ADMIN', by: 'session' },
  'connections.manage': { permission: 'ADMIN', by: 'session' },
  'audit-log.read': { permission: 'ADMIN', by: 'session' },
  'api-keys.create': { permission: 'ADMIN', by: 'session', apiAccess: true },
  'api-keys.manage': { permission: 'ADMIN', by: 'session' },
} as const satisfies Readonly<Record<string, AccessRule>>;
export type Action = keyof typeof ACTIONS;

/** The actions that an API key can be restricted to. */
export type Scope = { [A in Action]: (typeof ACTIONS)[A]['by'] extends 'session' ? never : A }[Action];
export const SCOPES = (Object.keys(ACTIONS) as Action[]).filter(
  (action): action is Scope => ACTIONS[action].by === 'key or session',
);

/**
 * The actions that a key may take.
 *
 * @param scopes the scopes of the key; null for everything its role allows
 */
export function scopesOf(role: Role, scopes: readonly Scope[] | null): Scope[] {
  return SCOPES.filter(
    (scope) => roleAllows(role, ACTIONS[scope].permission) && (scopes?.includes(scope) ?? true),
  );
}

/** The authentication of a caller. */
export type Credential = KeyCredential | SessionCredential;
interface KeyCredential {
  kind: 'api_key';
  /** The public part of the key. */
  keyId: string;
  /** The actions that the key is restricted to; null for everything its role allows. */
  scopes: readonly Scope[] | null;
}
export interface SessionCredential {
  kind: 'session';
  sessionId: string;
  userId: string;
}

/** The reason for denying an action. */
export interface AccessRefusal {
  code: 'LOGIN_SESSION_REQUIRED' | 'INSUFFICIENT_TIER' | 'FORBIDDEN';
  message: string;
}

/** Returns why a caller may not take an action; undefined if they may. */
export function refuseAccess(
  { role, tier, credential }: { role: Role; tier: Tier; credential: Credential },
  action: Action,
): AccessRefusal | undefined {
  const rule: AccessRule = ACTIONS[action];
  if (credential.kind === 'api_key') {
    if (rule.by === 'session') {
      return {
        code: 'LOGIN_SESSION_REQUIRED',
        message: 'this needs a login session; API keys cannot change settings',
      };
    }
    const narrowed: readonly Action[] | null = credential.scopes;
    if (narrowed && !narrowed.includes(action)) {
      return { code: 'FORBIDDEN', message: `the API key lacks the scope ${action}` };
    }
  }
  if (rule.permission && !roleAllows(role, rule.permission)) {
    return { code: 'FORBIDDEN', message: `this needs ${rule.permission} permission` };
  }
  const needsTier = rule.apiAccess ?? credential.kind === 'api_key';
  if (needsTier && !TIER_LIMITS[tier].apiAccess) {
    return {
      code: 'INSUFFICIENT_TIER',
      message: 'Insufficient subscription tier: API access needs STARTER or higher',
    };
  }
  return undefined;
}
