import { z } from 'zod';
import { GLOBAL_UPLOAD_MEMORY, MAX_UPLOAD_SECONDS, TENANT_UPLOAD_MEMORY } from '../domain/limits.ts';
import { trustProxies } from './http/client-address.ts';
import { apiAddress } from '../domain/schemas/api-address.ts';
import { publicBaseUrl } from '../domain/schemas/public-base-url.ts';

/** Settings and limits of the HTTP API. */
export const apiConfig = apiAddress.extend({
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  /** Memory for uploads in progress, in total and per tenant. */
  UPLOAD_MEMORY_BYTES: z.coerce.number().int().min(1).default(GLOBAL_UPLOAD_MEMORY),
  UPLOAD_MEMORY_BYTES_PER_TENANT: z.coerce.number().int().min(1).default(TENANT_UPLOAD_MEMORY),
  /** Minimum rate of a request body, averaged over UPLOAD_MIN_RATE_SECONDS; slower ones are aborted. 0 disables it. */
  UPLOAD_MIN_BYTES_PER_SECOND: z.coerce.number().int().min(0).default(1024),
  UPLOAD_MIN_RATE_SECONDS: z.coerce.number().int().min(1).default(30),
  /** Time limit of a direct upload from creation to completion. */
  DIRECT_UPLOAD_SECONDS: z.coerce.number().int().min(1).max(MAX_UPLOAD_SECONDS).default(86_400),
  /** Rate limit of upload clients' telemetry, which needs no key: events per minute and address. */
  UPLOAD_EVENTS_PER_MINUTE: z.coerce.number().int().min(1).default(600),
  /** Attempts to log in, to register and to have an email sent: per minute and network; ten times as many for an account. */
  AUTH_ATTEMPTS_PER_MINUTE: z.coerce.number().int().min(1).default(5),
  /** Time limit of a search, of all that it does together. */
  SEARCH_TIMEOUT_MS: z.coerce.number().int().min(1).max(20_000).default(10_000),
  /** How long a request for an export of files waits for the file, before it answers 202. */
  EXPORT_WAIT_SECONDS: z.coerce.number().int().min(0).max(300).default(60),
  /** Interval of pings and key checks on live connections. */
  LIVE_PING_SECONDS: z.coerce.number().int().min(1).max(60).default(30),
  /** Where browsers reach the service, without a path; decides the cookie's name and which pages may use it. */
  PUBLIC_BASE_URL: publicBaseUrl.optional(),
  /** Addresses and CIDR blocks of the proxies in front, between commas: their `X-Forwarded-For` is believed. */
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
    }),
});
