import { traced } from '../../domain/tracing.ts';
import type { VectorConfig } from './config.ts';
import { createEmbeddedIndex } from './embedded-index.ts';
import { createQdrantIndex } from './qdrant-index.ts';
import type { VectorCollection, VectorIndex } from './vector-index.ts';

/** Opens the index of any collection, once each. */
export function createVectorIndexes(config: VectorConfig): {
  open: (collection: VectorCollection) => VectorIndex;
  close: () => Promise<void>;
} {
  const opened = new Map<string, VectorIndex>();
  return {
    open(options) {
      const index = opened.get(options.collection) ?? tracedIndex(createVectorIndex(config, options));
      opened.set(options.collection, index);
      return index;
    },
    close: async () => void (await Promise.all([...opened.values()].map((index) => index.close()))),
  };
}

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

/** Each call of a method is a span. */
function tracedIndex(index: VectorIndex): VectorIndex {
  return new Proxy(index, {
    get(target, name): unknown {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return (...args: unknown[]) =>
        traced(`vector index ${String(name)}`, () => Reflect.apply(method, target, args) as Promise<unknown>);
    },
  });
}
