import { z } from 'zod';
import { AUTH_PROVIDERS } from '../../../domain/accounts/login.ts';
import { ROLES } from '../../../domain/accounts/permissions.ts';
import { TIERS } from '../../../domain/accounts/tiers.ts';
import { optional } from '../../../domain/schemas/absent.ts';
import { email } from '../../../domain/schemas/email.ts';
import { timestamp } from '../fields.ts';
import { newPassword, password, personName, token, userProfile } from '../user/schema.ts';

/** Any id is compared with those of the user's tenants: a malformed one is unknown. */
const tenantId = z
  .string()
  .max(100)
  .toLowerCase()
  .meta({ override: { type: 'string', format: 'uuid' }, description: 'The tenant to act in' });

export const registerBody = z.strictObject({
  email,
  password: newPassword,
  name: optional(personName),
  tenant_name: optional(personName),
});
export const loginBody = z.strictObject({ email, password, tenant_id: optional(tenantId) });
export const emailBody = z.strictObject({ email });
export const verifyEmailBody = z
  .strictObject({
    token,
    password: optional(password.meta({ description: 'The one that was registered' })),
    new_password: optional(
      newPassword.meta({
        description:
          'In its place, for the owner of the address who did not choose it; nobody else can log in then',
      }),
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
  revoke_api_keys: optional(z.boolean()).meta({
    description:
      'Whether to revoke the API keys that the user has created as well; by default they stay valid',
  }),
});
export const acceptInvitationBody = z.strictObject({
  token,
  password: optional(newPassword),
  name: optional(personName),
});
export const switchTenantBody = z.strictObject({ tenant_id: tenantId });
export const oidcReturn = z.object({
  code: z.string().optional().meta({ description: 'To be exchanged for the identity' }),
  state: z.string().optional(),
  iss: z.string().optional(),
  error: z.string().optional(),
});

const tenantOfUser = z
  .object({
    id: z.uuid().meta({ description: 'Id of the tenant' }),
    name: z.string(),
    tier: z.enum(TIERS),
    role: z.enum(ROLES),
  })
  .meta({ id: 'TenantOfUser' });

export const loginRecord = z
  .object({
    user: userProfile,
    auth_provider: z.enum(AUTH_PROVIDERS),
    tenant: tenantOfUser,
    tenants: z.array(tenantOfUser).meta({ description: 'All of the user, the one used last first' }),
    session_id: z.uuid().meta({ description: 'Id of the login session' }),
    expires_at: timestamp.meta({ description: 'When the session ends if nothing more is done in it' }),
  })
  .meta({ id: 'Login' });
