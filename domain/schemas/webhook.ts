import { z } from 'zod';

const MAX_URL_LENGTH = 2048;
/** Base64 of 24 to 64 bytes, as in Standard Webhooks. */
const SECRET =
  /^whsec_(?:(?:[A-Za-z0-9+/]{4}){8,21}(?:[A-Za-z0-9+/]{2}==)?|(?:[A-Za-z0-9+/]{4}){8,20}[A-Za-z0-9+/]{3}=)$/;

/** A URL for webhooks; checks only its syntax. */
export const webhookUrl = z
  .url({ protocol: /^https?$/, error: 'must be an https:// URL' })
  .max(MAX_URL_LENGTH, `at most ${MAX_URL_LENGTH} characters`)
  .refine((text) => {
    const url = URL.parse(text);
    return !url || (url.username === '' && url.password === '' && url.hash === '');
  }, 'must have neither credentials nor a fragment')
  .meta({ override: { type: 'string', format: 'uri', maxLength: MAX_URL_LENGTH } });

/** A secret that signs webhooks. */
export const webhookSecret = z
  .string()
  .regex(SECRET, 'must be whsec_ and the base64 of 24 to 64 bytes')
  .meta({ override: { type: 'string', pattern: SECRET.source } });
