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

/**
 * Splits a Qdrant URL into the options of its client, which would drop a path, and an explicit `:443` or `:80`, which
 * URL parsing hides.
 *
 * @param url for example `http://127.0.0.1:6333` or `https://example.com:443/qdrant`; the port is 6333 unless given
 */
export function qdrantAddress(url: string): { url: string; port: number; prefix?: string } {
  const { origin, pathname } = new URL(url);
  const port = /^https?:\/\/[^/?#]*:(\d+)(?:[/?#]|$)/i.exec(url)?.[1];
  const prefix = pathname.replace(/(?<!\/)\/+$/, '');
  return { url: origin, port: port === undefined ? 6333 : Number(port), ...(prefix && { prefix }) };
}

/**
 * Name of the collection for a kind of content and a model: vectors of two models never share one.
 *
 * @returns for example `image-local-v1-512`
 */
export function collectionName(kind: string, model: string, dimension: number): string {
  const safe = model.toLowerCase().replace(/[^a-z0-9.]+/g, '-');
  return `${kind}-${safe}-${dimension}`;
}
