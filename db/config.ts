import { accessSync, constants } from 'node:fs';
import { z } from 'zod';

/**
 * `sslmode` values of the URL. All that use TLS also verify the certificate, as `verify-full`: encryption to an
 * unverified server protects nothing. `no-verify` is the explicit exception.
 */
const SSL_MODES = ['disable', 'no-verify', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
const VERIFIED: readonly string[] = ['prefer', 'require', 'verify-ca'] satisfies (typeof SSL_MODES)[number][];
const FILES = ['sslrootcert', 'sslcert', 'sslkey'] as const;

const postgresUrl = z
  .url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// URL' })
  .superRefine((url, context) => {
    const { searchParams } = new URL(url);
    const mode = searchParams.get('sslmode');
    const known = mode === null || (SSL_MODES as readonly string[]).includes(mode);
    if (!known)
      context.addIssue({ code: 'custom', message: `sslmode must be one of ${SSL_MODES.join(', ')}` });
    for (const name of FILES) {
      const file = searchParams.get(name);
      if (file !== null && !isReadable(file)) {
        context.addIssue({ code: 'custom', message: `${name}: the file ${file} cannot be read` });
      }
    }
  })
  .transform((url) => {
    const mode = new URL(url).searchParams.get('sslmode') ?? '';
    return VERIFIED.includes(mode) ? url.replace(`sslmode=${mode}`, 'sslmode=verify-full') : url;
  });

/** Connection to Postgres, and the pool size of one process. */
export const databaseConfig = z.object({
  DATABASE_URL: postgresUrl.describe(
    'Postgres; `?sslmode=verify-full` for TLS, and `&sslrootcert=FILE` for a private authority',
  ),
  DATABASE_DIRECT_URL: postgresUrl
    .optional()
    .describe(
      'the server itself, where `DATABASE_URL` is a pooler in transaction mode: for migrations and notifications',
    ),
  DATABASE_POOL_SIZE: z.coerce
    .number()
    .int()
    .min(1)
    .max(200)
    .default(10)
    .describe('connections of one process'),
});
export type DatabaseConfig = z.output<typeof databaseConfig>;

/** The same database without a pooler in between, for features that need a session: migrations and LISTEN. */
export function directDatabase(config: DatabaseConfig): DatabaseConfig {
  const { DATABASE_DIRECT_URL: direct, ...rest } = config;
  return { ...rest, DATABASE_URL: direct ?? config.DATABASE_URL };
}

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
