import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** A login in progress at the identity provider. The user's return deletes the row. */
export const OidcFlow = defineEntity({
  name: 'OidcFlow',
  tableName: 'oidc_flows',
  properties: {
    /** SHA-256 of the cookie that binds the login to one browser, hex. */
    cookieHash: p.string().length(64).primary(),
    /** Id of the provider, see adapters/oidc/config.ts. */
    provider: p.string().default('default'),
    state: p.string(),
    nonce: p.string(),
    codeVerifier: p.string(),
    expiresAt: p.datetime().index(),
  },
});
export type OidcFlow = InferEntity<typeof OidcFlow>;
