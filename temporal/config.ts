import { z } from 'zod';

/** Where the workflow engine is. */
export const temporalConfig = z.object({
  TEMPORAL_ADDRESS: z.string().default('127.0.0.1:7233'),
  TEMPORAL_NAMESPACE: z.string().default('default'),
});
export type TemporalConfig = z.output<typeof temporalConfig>;
