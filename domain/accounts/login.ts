const DAY_SECONDS = 86_400;

/** A session ends after so long without a request, and at the latest so long after the login. */
export const LOGIN_SESSION_IDLE_SECONDS = 7 * DAY_SECONDS;
export const LOGIN_SESSION_SECONDS = 30 * DAY_SECONDS;

/** How long a login may stay with the identity provider. */
export const OIDC_FLOW_SECONDS = 600;

/** What a user types to delete their account. */
export const DELETION_PHRASE = 'delete my account';

/** How a user can log in; `none` for one who was invited and has not accepted. */
export type AuthProvider = 'password' | 'oidc' | 'both' | 'none';
export const AUTH_PROVIDERS = ['password', 'oidc', 'both', 'none'] as const satisfies readonly AuthProvider[];

export function authProvider({ password, identity }: { password: boolean; identity: boolean }): AuthProvider {
  if (password) return identity ? 'both' : 'password';
  return identity ? 'oidc' : 'none';
}
