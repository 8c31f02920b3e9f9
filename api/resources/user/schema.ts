import { z } from 'zod';
import { DELETION_PHRASE, AUTH_PROVIDERS } from '../../../domain/accounts/login.ts';
import { THEMES, MAX_NAME_LENGTH } from '../../../domain/accounts/preferences.ts';
import { MIN_PASSWORD_LENGTH } from '../../../domain/accounts/password-rules.ts';
import { optional } from '../../../domain/schemas/absent.ts';
import { email } from '../../../domain/schemas/email.ts';
import { displayName, text } from '../../../domain/schemas/text.ts';
import { idParam, timestamp } from '../fields.ts';

/** Far above any password that is accepted: hashing must not read a megabyte. */
const MAX_SECRET = 1_024;

/** A password as it is given; whether it may be chosen, domain/accounts/password-rules.ts says. */
export const password = z.string().max(MAX_SECRET, 'at most 128 characters');
export const newPassword = password.meta({
  description: `At least ${MIN_PASSWORD_LENGTH} characters, at most 128, not your address, not a common one`,
  format: 'password',
});
export const token = z.string().max(200).meta({ description: 'From the email; works once' });
export const personName = displayName(MAX_NAME_LENGTH);

export const message = z.object({ message: z.string() }).meta({ id: 'Message' });

const notifications = z.object({
  email: z.boolean().nullable().meta({ description: 'Whether notifications are mailed' }),
  browser: z.boolean().nullable(),
});

export const userProfile = z
  .object({
    id: z.uuid().meta({ description: 'Id of the user' }),
    email: z.string(),
    name: z.string(),
    is_active: z.boolean(),
    email_verified: z.boolean(),
    created_at: timestamp,
    last_login_at: timestamp.nullable(),
    preferences: z
      .object({
        timezone: z.string().nullable(),
        theme: z.enum(THEMES).nullable(),
        language: z.string().nullable(),
        notifications,
      })
      .meta({ description: "Null: the dashboard's default" }),
  })
  .meta({ id: 'UserProfile' });

const timezone = text(64).refine(isTimezone, 'must be an IANA time zone, such as Europe/Paris');
const language = text(35).refine(isLanguage, 'must be a language tag, such as en or pt-BR');

export const profileBody = z
  .strictObject({
    name: optional(personName),
    preferences: optional(
      z.strictObject({
        timezone: timezone.nullish(),
        theme: z.enum(THEMES).nullish(),
        language: language.nullish(),
        notifications: z
          .strictObject({
            email: z.boolean().nullish().meta({ description: 'Whether notifications are mailed' }),
            browser: z.boolean().nullish(),
          })
          .nullish(),
      }),
    ).meta({ description: "Only given fields change; null: the dashboard's default" }),
  })
  .refine((body) => Object.values(body).some((value) => value !== undefined), {
    message: 'send at least one of name, preferences',
  })
  .meta({ override: { minProperties: 1 } });

export const changePasswordBody = z.strictObject({ current_password: password, new_password: newPassword });
export const changeEmailBody = z.strictObject({ new_email: email, password });
export const tokenBody = z.strictObject({ token });
export const deleteAccountBody = z.strictObject({
  confirmation: z.literal(DELETION_PHRASE).meta({ description: 'Exactly this phrase' }),
});

export const initialPasswordAnswer = z
  .object({
    success: z.literal(true).meta({ description: 'Always true' }),
    auth_provider: z.enum(AUTH_PROVIDERS),
  })
  .meta({ id: 'InitialPassword' });

export const loginSession = z
  .object({
    id: z.uuid().meta({ description: 'Id of the login session' }),
    user_agent: z.string(),
    ip_address: z.string(),
    created_at: timestamp,
    last_activity_at: timestamp,
    expires_at: timestamp.meta({ description: 'When it ends if nothing more is done in it' }),
    is_current: z.boolean(),
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
