import type { EntityManager } from '@mikro-orm/postgresql';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import type { VectorIndex } from '../../adapters/vector-index/vector-index.ts';
import type { Engine } from '../../temporal/client.ts';

export interface AuditDeps {
  /** A fresh one per use: an audit reads many rows and must not retain them. */
  em: () => EntityManager;
  engine: Engine;
  objects: ObjectStore;
  vectors: VectorIndex;
  /** Of the chunks of documents. */
  chunkVectors: VectorIndex;
  /** Files acknowledged as stored to a client: id and SHA-256. Empty if no list was recorded. */
  acknowledged: readonly { fileId: string; sha256: string }[];
  /** Prometheus text of the API. */
  metrics: () => Promise<string>;
}

/** A condition that must hold whenever the service is idle, whatever was killed before. */
export interface Invariant {
  /** `I1` – `I12`. */
  id: string;
  title: string;
  /** Yields one human-readable line per violation. */
  check(deps: AuditDeps): AsyncIterable<string>;
}
