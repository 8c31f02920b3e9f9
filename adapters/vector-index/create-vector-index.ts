import type { VectorConfig } from './config.ts';
import { createEmbeddedIndex } from './embedded-index.ts';
import { createQdrantIndex } from './qdrant-index.ts';
import type { VectorCollection, VectorIndex } from './vector-index.ts';

/** The configured vector index, for one collection. Nothing is connected until the first call. */
export function createVectorIndex(config: VectorConfig, options: VectorCollection): VectorIndex {
  if (config.QDRANT_URL !== undefined) {
    const apiKey = config.QDRANT_API_KEY;
    return createQdrantIndex({ url: config.QDRANT_URL, ...(apiKey !== undefined && { apiKey }), ...options });
  }
  if (config.LANCEDB_PATH !== undefined)
    return createEmbeddedIndex({ path: config.LANCEDB_PATH, ...options });
  throw new Error('neither QDRANT_URL nor LANCEDB_PATH is set');
}
