/** Providers of accounts that a tenant can connect. */
export const CONNECTION_PROVIDERS = ['google_sheets'] as const;
export type ConnectionProvider = (typeof CONNECTION_PROVIDERS)[number];
