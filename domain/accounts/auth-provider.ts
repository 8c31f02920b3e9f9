/** How a user can log in; `none` for one who was invited and has not accepted. */
export type AuthProvider = 'password' | 'oidc' | 'both' | 'none';
export const AUTH_PROVIDERS = ['password', 'oidc', 'both', 'none'] as const satisfies readonly AuthProvider[];

export function authProvider({ password, identity }: { password: boolean; identity: boolean }): AuthProvider {
  if (password) return identity ? 'both' : 'password';
  return identity ? 'oidc' : 'none';
}
