const DAY_SECONDS = 86_400;

/** A session ends after this time without a request, and in any case after its maximum lifetime. */
export const LOGIN_SESSION_IDLE_SECONDS = 7 * DAY_SECONDS;
export const LOGIN_SESSION_SECONDS = 30 * DAY_SECONDS;

/** The most that an account may set as the length of its sessions. */
export const MAX_LOGIN_SESSION_HOURS = LOGIN_SESSION_SECONDS / 3600;

/** How long a device is known after a login with a password. */
export const KNOWN_DEVICE_SECONDS = 180 * DAY_SECONDS;

/** Time a user has to complete a login at the identity provider. */
export const OIDC_FLOW_SECONDS = 600;

/** A login this recent proves who asks where there is no password to ask for. */
export const RECENT_LOGIN_SECONDS = 600;

/** The phrase a user types to confirm the deletion of their account. */
export const DELETION_PHRASE = 'delete my account';

/** How a user can log in; `none` for one who was invited and has not accepted. */
export type AuthProvider = 'password' | 'oidc' | 'both' | 'none';
export const AUTH_PROVIDERS = ['password', 'oidc', 'both', 'none'] as const satisfies readonly AuthProvider[];

export function authProvider({ password, identity }: { password: boolean; identity: boolean }): AuthProvider {
  if (password) return identity ? 'both' : 'password';
  return identity ? 'oidc' : 'none';
}

/** Ids of identity providers, which are parts of the addresses that logins return to. */
export const PROVIDER_ID = /^[a-z0-9-]{1,40}$/;
