import { z } from 'zod';

/** Location of the vectors: a Qdrant server or a local LanceDB folder. Qdrant wins when both are set. */
export const vectorConfig = z
  .object({
    QDRANT_URL: z
      .url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' })
      .optional()
      .describe('vector index on a Qdrant server; needed unless `LANCEDB_PATH` is set'),
    QDRANT_API_KEY: z.string().optional().describe('key of that server'),
    LANCEDB_PATH: z
      .string()
      .optional()
      .describe('folder of the embedded vector index, on a disk of this machine'),
  })
  .superRefine((config, context) => {
    if (config.QDRANT_URL !== undefined || config.LANCEDB_PATH !== undefined) return;
    for (const [name, other] of [
      ['QDRANT_URL', 'LANCEDB_PATH'],
      ['LANCEDB_PATH', 'QDRANT_URL'],
    ] as const) {
      context.addIssue({ code: 'custom', path: [name], message: `required unless ${other} is set` });
    }
  });
export type VectorConfig = z.output<typeof vectorConfig>;
