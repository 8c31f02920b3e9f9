import { z } from 'zod';
import { GLOBAL_UPLOAD_MEMORY, MAX_UPLOAD_SECONDS, TENANT_UPLOAD_MEMORY } from '../domain/limits.ts';
import { apiAddress } from '../domain/schemas/api-address.ts';

/** How the HTTP API listens and what it lets in. */
export const apiConfig = apiAddress.extend({
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  /** Bytes that uploads in flight may hold in memory: in all, and for one tenant. */
  UPLOAD_MEMORY_BYTES: z.coerce.number().int().min(1).default(GLOBAL_UPLOAD_MEMORY),
  UPLOAD_MEMORY_BYTES_PER_TENANT: z.coerce.number().int().min(1).default(TENANT_UPLOAD_MEMORY),
  /** An upload that is slower than so many bytes a second, on average over so many seconds, is given up; 0 for never. */
  UPLOAD_MIN_BYTES_PER_SECOND: z.coerce.number().int().min(0).default(1024),
  UPLOAD_MIN_RATE_SECONDS: z.coerce.number().int().min(1).default(30),
  /** How long a direct upload may take from its creation to its completion. */
  DIRECT_UPLOAD_SECONDS: z.coerce.number().int().min(1).max(MAX_UPLOAD_SECONDS).default(86_400),
  /** Telemetry of upload clients needs no key: so many events a minute from one address. */
  UPLOAD_EVENTS_PER_MINUTE: z.coerce.number().int().min(1).default(600),
  /** How often live connections are asked for a sign of life, and their keys looked at. */
  LIVE_PING_SECONDS: z.coerce.number().int().min(1).max(60).default(30),
});
export type ApiConfig = z.output<typeof apiConfig>;
