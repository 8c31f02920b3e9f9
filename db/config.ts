import { z } from 'zod';

/** Connection to Postgres, and the pool size of one process. */
export const databaseConfig = z.object({
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// URL' }),
  DATABASE_POOL_SIZE: z.coerce.number().int().min(1).max(200).default(10),
});
export type DatabaseConfig = z.output<typeof databaseConfig>;
