import { z } from 'zod';
import { ASSIGNABLE_ROLES } from '../../domain/accounts/permissions.ts';
import { domainName, publicBaseUrl } from '../../domain/schemas/addresses.ts';

/** Far more than an installation has. */
export const MAX_PROVIDERS = 50;
const MAX_GRANTS = 1000;
const ANY_DOMAIN = '*';
/** The id of the provider of OIDC_ISSUER. */
export const SINGLE_PROVIDER = 'default';

const DEFAULTS = {
  scope: 'openid email profile',
  emails_are_verified: false,
  groups_claim: 'groups',
  grants: [],
};

const issuer = z
  .url({ protocol: /^https?$/, error: 'must be an https:// URL', abort: true })
  .refine((url) => isSafe(new URL(url)), 'must be an https:// URL');

/** Members of a group at the provider are members of an account here. */
const grant = z.strictObject({
  tenant_id: z.uuid().toLowerCase(),
  role: z.enum(ASSIGNABLE_ROLES),
  /** Everybody who logs in there, if absent. */
  group: z.string().min(1).optional(),
});

const provider = z
  .strictObject({
    id: z
      .string()
      .regex(/^[a-z0-9-]{1,40}$/, 'must be 1 to 40 of a-z, 0-9 and -')
      .refine((id) => id !== SINGLE_PROVIDER, 'is taken'),
    /** On the button of the console. */
    name: z.string().min(1).max(100),
    issuer,
    client_id: z.string().min(1),
    client_secret: z.string().min(1),
    scope: z.string().min(1).default(DEFAULTS.scope),
    /** Domains of the addresses that it vouches for, or `*`. */
    email_domains: z
      .array(
        z.union([z.literal(ANY_DOMAIN), domainName], {
          error: `must be a domain name, such as example.com, or ${ANY_DOMAIN}`,
        }),
      )
      .min(1)
      .optional(),
    /** For providers without the claim `email_verified`. */
    emails_are_verified: z.boolean().default(DEFAULTS.emails_are_verified),
    groups_claim: z.string().min(1).default(DEFAULTS.groups_claim),
    grants: z.array(grant).max(MAX_GRANTS).default(DEFAULTS.grants),
  })
  .refine((each) => !each.emails_are_verified || !domainsOf(each).includes(ANY_DOMAIN), {
    path: ['email_domains'],
    message: 'must name the domains, if emails_are_verified',
  });

const providers = z
  .array(provider)
  .min(1)
  .max(MAX_PROVIDERS)
  .superRefine((list, context) => {
    for (const [index, each] of list.entries()) {
      const add = (name: keyof typeof each, message: string) =>
        context.addIssue({ code: 'custom', path: [index, name], message });
      const earlier = list.slice(0, index);
      if (earlier.some(({ id }) => id === each.id)) add('id', 'is listed twice');
      if (earlier.some((other) => isSameIssuer(other.issuer, each.issuer))) add('issuer', 'is listed twice');
      if (list.length > 1 && !each.email_domains) {
        add('email_domains', `is needed with several providers; ["${ANY_DOMAIN}"] for all`);
      }
    }
  });

/** Login through OpenID providers: one in settings of its own, or a list. */
export const oidcConfig = z
  .object({
    OIDC_ISSUER: issuer
      .optional()
      .describe(
        'OpenID provider for login; its metadata are below it, at `/.well-known/openid-configuration`',
      ),
    OIDC_CLIENT_ID: z.string().optional().describe('client at that provider'),
    OIDC_CLIENT_SECRET: z.string().optional().describe('its secret'),
    OIDC_PROVIDERS: z
      .string()
      .transform(parseJson)
      .pipe(providers)
      .optional()
      .describe(
        'instead: a JSON list of providers, with groups that give roles; see [Single sign-on](runbook.md#single-sign-on)',
      ),
    /** Base of the return URLs, see `callbackPath`. */
    PUBLIC_BASE_URL: publicBaseUrl.optional(),
  })
  .superRefine((config, context) => {
    const add = (name: keyof OidcConfig, message: string) =>
      context.addIssue({ code: 'custom', path: [name], message });
    if (config.OIDC_PROVIDERS) {
      if (config.OIDC_ISSUER) add('OIDC_ISSUER', 'list it in OIDC_PROVIDERS, and unset this');
      if (!config.PUBLIC_BASE_URL) add('PUBLIC_BASE_URL', 'is needed with OIDC_PROVIDERS');
      return;
    }
    if (!config.OIDC_ISSUER) return;
    for (const name of ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'PUBLIC_BASE_URL'] as const) {
      if (!config[name]) add(name, 'is needed with OIDC_ISSUER');
    }
  });
export type OidcConfig = z.output<typeof oidcConfig>;

/** A configured provider. */
export interface OidcProviderSettings extends Omit<z.output<typeof provider>, 'name'> {
  /** Undefined for the one of OIDC_ISSUER. */
  name: string | undefined;
  /** Below the API. Each listed provider has one of its own, so that none can pass off its answer as another's. */
  callbackPath: string;
}

/** The providers, in the order of the list. */
export function configuredProviders(config: OidcConfig): OidcProviderSettings[] {
  const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_PROVIDERS } = config;
  if (!OIDC_ISSUER || !OIDC_CLIENT_ID || !OIDC_CLIENT_SECRET) {
    return (OIDC_PROVIDERS ?? []).map((each) => ({
      ...each,
      callbackPath: `/auth/oidc/callback/${each.id}`,
    }));
  }
  return [
    {
      ...DEFAULTS,
      id: SINGLE_PROVIDER,
      name: undefined,
      issuer: OIDC_ISSUER,
      client_id: OIDC_CLIENT_ID,
      client_secret: OIDC_CLIENT_SECRET,
      callbackPath: '/auth/oidc/callback',
    },
  ];
}

/** Whether two issuers are one: people and providers write them with and without the last slash. */
export function isSameIssuer(one: string, other: string): boolean {
  const [a, b] = [one, other].map((issuer) => (URL.parse(issuer)?.href ?? issuer).replace(/\/$/, ''));
  return a === b;
}

/** Whether a provider may confirm this address, in lower case: only those of its domains. */
export function vouchesFor(settings: OidcProviderSettings, email: string): boolean {
  const domain = email.slice(email.lastIndexOf('@') + 1);
  return domainsOf(settings).some((each) => each === ANY_DOMAIN || each === domain);
}

function domainsOf(settings: { email_domains?: string[] | undefined }): string[] {
  return settings.email_domains ?? [ANY_DOMAIN];
}

/** Without the text that was read, which has secrets. */
function parseJson(text: string, context: z.RefinementCtx<string>): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const [where = ''] = /at position \d+ \(line \d+ column \d+\)/.exec((error as Error).message) ?? [];
    context.addIssue({ code: 'custom', message: `is not JSON ${where}`.trim() });
    return z.NEVER;
  }
}

/** Plain http is allowed on this machine only. */
function isSafe({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}
