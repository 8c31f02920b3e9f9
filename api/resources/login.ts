import { z } from 'zod';
import { email } from '../../domain/schemas/addresses.ts';
import { optional } from '../../domain/schemas/text.ts';
import { endOfSession, type LoginRecord } from '../../services/accounts/login-sessions/read-login.ts';
import type { TenantOfUser } from '../../services/accounts/tenants/find-tenants-of-user.ts';
import { MAX_PROVIDERS } from '../../adapters/oidc/config.ts';
import { componentField, timestamp } from './fields.ts';
import { newPassword, password, personName, presentProfile, token, userProfile } from './user.ts';
import { memberRole, tier, authProvider } from './enums.ts';

/** Any id is compared with those of the user's tenants: a malformed one is unknown. */
const tenantId = z
  .string()
  .max(100)
  .toLowerCase()
  .meta({ override: { type: 'string', format: 'uuid' }, description: 'The tenant to act in' });

export const registerBody = z.strictObject({
  email: email.describe('Email address; case does not matter'),
  password: newPassword,
  name: optional(personName).describe('Name of the user; by default the email address up to its @'),
  tenant_name: optional(personName).describe("Name of the new tenant; by default the user's"),
});
export const loginBody = z.strictObject({
  email: email.describe('Email address; case does not matter'),
  password: password.describe('Password'),
  tenant_id: optional(tenantId).describe(
    'The tenant to act in; by default the one used last, otherwise an own one',
  ),
});
export const emailBody = z
  .strictObject({ email: email.describe('Email address; case does not matter') })
  .meta({ id: 'EmailAddress' });
export const verifyEmailBody = z
  .strictObject({
    token,
    password: optional(password.describe('The one that was registered')).describe(
      'The password that was registered',
    ),
    new_password: optional(
      newPassword.describe(
        'In its place, for the owner of the address who did not choose it; nobody else can log in then',
      ),
    ).describe(
      'A new password in its place, for the owner of the address who did not choose the registered one; nobody else can log in then',
    ),
  })
  .refine(
    ({ password: registered, new_password: next }) => (registered === undefined) !== (next === undefined),
    {
      path: ['password'],
      message: 'send either password, the one that was registered, or new_password',
    },
  );
export const resetPasswordBody = z.strictObject({
  token,
  password: newPassword,
  revoke_api_keys: optional(z.boolean()).describe(
    'Whether to revoke the API keys that the user has created as well; by default they stay valid',
  ),
});
export const acceptInvitationBody = z.strictObject({
  token,
  password: optional(newPassword).describe('Password, for a user who has none yet'),
  name: optional(personName).describe('Name of the user; by default the email address up to its @'),
});
export const switchTenantBody = z.strictObject({ tenant_id: tenantId });
const identityProvider = z
  .object({
    id: z.string().describe('For `GET /auth/oidc/start?provider=`'),
    name: z.string().nullable().describe('Name for people; null for a single one without a name'),
  })
  .meta({ id: 'IdentityProvider' });

export const loginMethods = z
  .object({
    password: z.boolean().describe('Whether `POST /auth/login` takes passwords'),
    identity_provider: z
      .boolean()
      .describe('Whether `GET /auth/oidc/start` leads to an identity provider; otherwise it is 404'),
    identity_providers: z.array(identityProvider).max(MAX_PROVIDERS).describe('The identity providers'),
  })
  .meta({ id: 'LoginMethods' });

const providerId = z.string().max(40);
export const oidcStart = z.object({
  provider: optional(providerId).describe('Id of the identity provider, if there are several'),
});
export const oidcProviderParams = z.object({ provider: providerId.describe('Id of the identity provider') });

export const oidcReturn = z.object({
  code: z.string().optional().describe('Code to exchange for the identity'),
  state: z.string().optional().describe('The state that was sent to the identity provider'),
  iss: z.string().optional().describe('The issuer that answers'),
  error: z.string().optional().describe('Why the identity provider refused'),
});

const tenantOfUser = z
  .object({
    id: z.uuid().describe('Id of the tenant'),
    name: z.string().describe('Name of the tenant'),
    tier: tier.describe('Tier of the tenant'),
    role: memberRole.describe('Role of the user in the tenant'),
  })
  .meta({ id: 'TenantOfUser' });

export const loginRecord = z
  .object({
    user: componentField(userProfile, 'The user who is logged in'),
    auth_provider: authProvider.describe(
      'How the user can log in: `password`, `oidc` (an identity provider), `both`, or `none` before an invitation is accepted',
    ),
    tenant: componentField(tenantOfUser, 'The tenant that the session acts in'),
    tenants: z
      .array(tenantOfUser)
      .describe('Tenants of the user that this login may act in, the one used last first'),
    session_id: z.uuid().describe('Id of the login session'),
    expires_at: timestamp.describe('When the session ends if nothing more is done in it'),
  })
  .meta({ id: 'Login' });

function presentTenant({ id, name, tier: level, role }: TenantOfUser): z.input<typeof tenantOfUser> {
  return { id, name, tier: level, role };
}

/** The logged-in user and their tenants. */
export function presentLogin({
  session,
  user,
  authProvider,
  tenant,
  tenants,
}: LoginRecord): z.input<typeof loginRecord> {
  return {
    user: presentProfile(user),
    auth_provider: authProvider,
    tenant: presentTenant(tenant),
    tenants: tenants.map(presentTenant),
    session_id: session.id,
    expires_at: endOfSession(session).toISOString(),
  };
}
