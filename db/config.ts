import { z } from 'zod';

/** Where Postgres is, and how many connections one process may hold. */
export const databaseConfig = z.object({
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// URL' }),
  DATABASE_POOL_SIZE: z.coerce.number().int().min(1).max(200).default(10),
});
export type DatabaseConfig = z.output<typeof databaseConfig>;
