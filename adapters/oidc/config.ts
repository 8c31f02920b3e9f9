import { z } from 'zod';
import { publicBaseUrl } from '../../domain/schemas/addresses.ts';

/** Login through an OpenID provider: all of these, or none. */
export const oidcConfig = z
  .object({
    OIDC_ISSUER: z
      .url({ protocol: /^https?$/, error: 'must be an https:// URL' })
      .refine((url) => isSafe(new URL(url)), 'must be an https:// URL')
      .optional()
      .describe(
        'OpenID provider for login; its metadata are below it, at `/.well-known/openid-configuration`',
      ),
    OIDC_CLIENT_ID: z.string().optional().describe('client at that provider'),
    OIDC_CLIENT_SECRET: z.string().optional().describe('its secret'),
    /** Base of the return URL `/api/v2/auth/oidc/callback`. */
    PUBLIC_BASE_URL: publicBaseUrl.optional(),
  })
  .superRefine((config, context) => {
    if (!config.OIDC_ISSUER) return;
    for (const name of ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'PUBLIC_BASE_URL'] as const) {
      if (!config[name]) {
        context.addIssue({ code: 'custom', path: [name], message: 'is needed with OIDC_ISSUER' });
      }
    }
  });
export type OidcConfig = z.output<typeof oidcConfig>;

/** Plain http is allowed on this machine only. */
function isSafe({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}
