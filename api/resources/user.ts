import { z } from 'zod';
import type { LoginSession } from '../../db/entities/accounts/login-session.ts';
import type { User } from '../../db/entities/accounts/user.ts';
import { DELETION_PHRASE } from '../../domain/accounts/login.ts';
import { MAX_NAME_LENGTH } from '../../domain/accounts/preferences.ts';
import { MIN_PASSWORD_LENGTH } from '../../domain/accounts/password-rules.ts';
import { email } from '../../domain/schemas/addresses.ts';
import { optional, displayName, text } from '../../domain/schemas/text.ts';
import { endOfSession } from '../../services/accounts/login-sessions/read-login.ts';
import { createdAt, idParam, timestamp } from './fields.ts';
import { theme, authProvider } from './enums.ts';

/** Far above any password that is accepted: hashing must not read a megabyte. */
const MAX_SECRET = 1_024;

/** A password as sent; rules for new ones are in domain/accounts/password-rules.ts. */
export const password = z.string().max(MAX_SECRET, 'at most 128 characters');
export const newPassword = password.meta({
  description: `At least ${MIN_PASSWORD_LENGTH} characters, at most 128, not your address, not a common one`,
  format: 'password',
});
export const token = z.string().max(200).describe('Token from the email; works once');
export const personName = displayName(MAX_NAME_LENGTH);

export const message = z
  .object({ message: z.string().describe('Human-readable message') })
  .meta({ id: 'Message' });

const notifications = z.object({
  email: z.boolean().nullable().describe('Whether notifications are mailed'),
  browser: z.boolean().nullable().describe('Whether the browser shows notifications'),
});

export const userProfile = z
  .object({
    id: z.uuid().describe('Id of the user'),
    email: z.string().describe('Email address of the user'),
    name: z.string().describe('Name of the user'),
    is_active: z.boolean().describe('Whether the user can log in'),
    email_verified: z.boolean().describe('Whether the address is verified'),
    created_at: createdAt,
    last_login_at: timestamp.nullable().describe('When the user last logged in; null before the first time'),
    preferences: z
      .object({
        timezone: z.string().nullable().describe('IANA name, such as `Europe/Paris`'),
        theme: theme.nullable().describe('Colours of the dashboard'),
        language: z.string().nullable().describe('BCP 47 tag, such as `en` or `pt-BR`'),
        notifications: notifications.describe('Which notifications the user wants'),
      })
      .describe("Preferences of the user; without a value the dashboard's default applies"),
  })
  .meta({ id: 'UserProfile' });

const timezone = text(64).refine(isTimezone, 'must be an IANA time zone, such as Europe/Paris');
const language = text(35).refine(isLanguage, 'must be a language tag, such as en or pt-BR');

export const profileBody = z
  .strictObject({
    name: optional(personName).describe('Name of the user'),
    preferences: optional(
      z.strictObject({
        timezone: timezone.nullish().describe('IANA name, such as `Europe/Paris`'),
        theme: theme.nullish().describe('Colours of the dashboard'),
        language: language.nullish().describe('BCP 47 tag, such as `en` or `pt-BR`'),
        notifications: z
          .strictObject({
            email: z.boolean().nullish().describe('Whether notifications are mailed'),
            browser: z.boolean().nullish().describe('Whether the browser shows notifications'),
          })
          .nullish()
          .describe('Which notifications the user wants'),
      }),
    ).describe("Only given fields change; null: the dashboard's default"),
  })
  .refine((body) => Object.values(body).some((value) => value !== undefined), {
    message: 'send at least one of name, preferences',
  })
  .meta({ override: { minProperties: 1 } });

export const changePasswordBody = z.strictObject({
  current_password: password.describe('The current password'),
  new_password: newPassword,
});
export const changeEmailBody = z.strictObject({
  new_email: email.describe('The address to change to'),
  password: password.describe('The current password'),
});
export const tokenBody = z.strictObject({ token });
export const deleteAccountBody = z.strictObject({
  confirmation: z.literal(DELETION_PHRASE).describe('Exactly this phrase'),
  password: optional(password).describe(
    'The current password. A user without one must have logged in within the last ten minutes',
  ),
});

export const initialPasswordAnswer = z
  .object({
    success: z.literal(true).describe('Always true'),
    auth_provider: authProvider.describe(
      'How the user can log in: `password`, `oidc` (an identity provider), `both`, or `none` before an invitation is accepted',
    ),
  })
  .meta({ id: 'InitialPassword' });

export const loginSession = z
  .object({
    id: z.uuid().describe('Id of the login session'),
    user_agent: z.string().describe('Program that the session was opened with'),
    ip_address: z.string().describe('Address that the session was opened from'),
    created_at: timestamp.describe('When the user logged in'),
    last_activity_at: timestamp.describe('When the session was last used'),
    expires_at: timestamp.describe('When it ends if nothing more is done in it'),
    is_current: z.boolean().describe('Whether it is the session of this request'),
  })
  .meta({ id: 'LoginSession' });
export const loginSessions = z.array(loginSession);
export const sessionParams = z.object({ session_id: idParam('Id of the login session') });

function isTimezone(name: string): boolean {
  try {
    return name !== '' && Intl.DateTimeFormat('en', { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}

function isLanguage(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

/** The profile that users see of themselves. */
export function presentProfile(user: User): z.input<typeof userProfile> {
  const { timezone, theme, language, notifications } = user.preferences;
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    is_active: user.isActive,
    email_verified: Boolean(user.emailVerifiedAt),
    created_at: user.createdAt.toISOString(),
    last_login_at: user.lastLoginAt?.toISOString() ?? null,
    preferences: {
      timezone: timezone ?? null,
      theme: theme ?? null,
      language: language ?? null,
      notifications: { email: notifications?.email ?? null, browser: notifications?.browser ?? null },
    },
  };
}

export function presentLoginSession(session: LoginSession, currentId: string): z.input<typeof loginSession> {
  return {
    id: session.id,
    user_agent: session.userAgent,
    ip_address: session.ipAddress,
    created_at: session.createdAt.toISOString(),
    last_activity_at: session.lastActivityAt.toISOString(),
    expires_at: endOfSession(session).toISOString(),
    is_current: session.id === currentId,
  };
}
