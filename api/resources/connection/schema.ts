import { z } from 'zod';
import { CONNECTION_PROVIDERS } from '../../../domain/connections.ts';
import { optionalWith } from '../../../domain/schemas/absent.ts';
import { displayName } from '../../../domain/schemas/text.ts';
import { idParam, timestamp } from '../fields.ts';

const MAX_NAME = 100;
const MAX_REFRESH_TOKEN = 2048;
const MAX_RETURNED = 2048;

const provider = z.enum(CONNECTION_PROVIDERS).describe('Whose account it is');
const name = displayName(MAX_NAME).describe('To tell connections apart');
const shared = {
  provider: optionalWith(provider, 'google_sheets').describe('Whose account it is'),
  name: optionalWith(name, 'Google Sheets').describe('To tell connections apart'),
};

export const connectionBody = z.strictObject({
  ...shared,
  refresh_token: z
    .string()
    .min(1)
    .max(MAX_REFRESH_TOKEN)
    .regex(/^[\x21-\x7e]+$/, 'must have no spaces, and ASCII characters alone')
    .describe('From a consent to the client of this service; never returned'),
});

export const consentBody = z.strictObject(shared);

export const consent = z
  .object({
    authorization_url: z.url().describe('Where the owner of the account consents, in a browser'),
    expires_at: timestamp.describe('Until when they may'),
  })
  .meta({ id: 'ConnectionConsent' });

/** What the provider adds besides is not looked at. */
export const consentReturn = z.object({
  state: z.string().min(1).max(MAX_RETURNED).describe('As it was sent to the provider'),
  code: z.string().min(1).max(MAX_RETURNED).optional().describe('Of a consent'),
  error: z.string().max(MAX_RETURNED).optional().describe('Why there is none'),
});

export const connectionParams = z.object({ connection_id: idParam('Id of the connection') });

export const connection = z
  .object({
    id: z.uuid().describe('Id of the connection'),
    provider,
    name,
    status: z.enum(['active', 'revoked']).describe('`revoked`: connect the account again'),
    error: z.string().nullable().describe('Why it cannot be used, if it cannot'),
    created_at: timestamp.describe('When the account was connected'),
    last_used_at: timestamp.nullable().describe('When an export last used it'),
  })
  .meta({ id: 'Connection' });

export const connectionList = z
  .object({ items: z.array(connection).describe('Latest first') })
  .meta({ id: 'ConnectionList' });
