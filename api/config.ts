import { z } from 'zod';
import { GLOBAL_UPLOAD_MEMORY, MAX_UPLOAD_SECONDS, TENANT_UPLOAD_MEMORY } from '../domain/limits.ts';
import { trustProxies } from './http/client-address.ts';
import { apiAddress, publicBaseUrl } from '../domain/schemas/addresses.ts';

/** Settings and limits of the HTTP API. */
export const apiConfig = apiAddress.extend({
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('least severe level that is logged'),
  UPLOAD_MEMORY_BYTES: z.coerce
    .number()
    .int()
    .min(1)
    .default(GLOBAL_UPLOAD_MEMORY)
    .describe('memory for uploads in progress; beyond it, 429'),
  UPLOAD_MEMORY_BYTES_PER_TENANT: z.coerce
    .number()
    .int()
    .min(1)
    .default(TENANT_UPLOAD_MEMORY)
    .describe('the same for one tenant'),
  UPLOAD_MIN_BYTES_PER_SECOND: z.coerce
    .number()
    .int()
    .min(0)
    .default(1024)
    .describe('slower request bodies are rejected with 408; 0 for no limit'),
  UPLOAD_MIN_RATE_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .default(30)
    .describe('time over which that rate is averaged'),
  DIRECT_UPLOAD_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .max(MAX_UPLOAD_SECONDS)
    .default(86_400)
    .describe('time limit of a direct upload from creation to completion; its URLs are valid as long'),
  UPLOAD_EVENTS_PER_MINUTE: z.coerce
    .number()
    .int()
    .min(1)
    .default(600)
    .describe('events of upload clients, which need no key, per address'),
  AUTH_ATTEMPTS_PER_MINUTE: z.coerce
    .number()
    .int()
    .min(1)
    .default(5)
    .describe(
      'failed attempts to log in, and attempts to register and to have an email sent, per network or known device; 10 times as many for an account, 12 times as many wrong keys and cookies of a network',
    ),
  SEARCH_TIMEOUT_MS: z.coerce
    .number()
    .int()
    .min(1)
    .max(20_000)
    .default(10_000)
    .describe('deadline of a search; slower ones are 503 `SEARCH_TIMEOUT`'),
  EXPORT_WAIT_SECONDS: z.coerce
    .number()
    .int()
    .min(0)
    .max(300)
    .default(60)
    .describe('how long a request for an export waits for the file before it answers 202'),
  LIVE_PING_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .max(60)
    .default(30)
    .describe('interval of pings on live connections; lower it if a proxy closes idle connections sooner'),
  PUBLIC_BASE_URL: publicBaseUrl
    .optional()
    .describe(
      'where browsers reach the service, without a path: decides the name of the session cookie, which pages may use it, and where links in emails lead',
    ),
  TEMPORAL_UI_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' })
    .optional()
    .describe(
      'where operators reach the Temporal UI: the timeline of a file then has a link to its workflow, for administrators',
    ),
  TRUSTED_PROXIES: z
    .string()
    .default('')
    .transform((text, context) => {
      try {
        return trustProxies(text.split(',').flatMap((one) => one.trim() || []));
      } catch (error) {
        context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : String(error) });
        return z.NEVER;
      }
    })
    .describe(
      'addresses and CIDR blocks of the proxies in front, separated by commas: their `X-Forwarded-For` is believed',
    ),
});
