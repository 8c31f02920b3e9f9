import type { EntityManager } from '@mikro-orm/postgresql';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import type { VectorIndex } from '../../adapters/vector-index/vector-index.ts';
import type { Engine } from '../../temporal/client.ts';

export interface AuditDeps {
  /** A fresh one for each use: an audit reads many rows and keeps none. */
  em: () => EntityManager;
  engine: Engine;
  objects: ObjectStore;
  vectors: VectorIndex;
  /** Files that a client was told are stored: id and SHA-256. Empty when nobody kept a list. */
  acknowledged: readonly { fileId: string; sha256: string }[];
  /** Prometheus text of the API. */
  metrics: () => Promise<string>;
}

/** Something that must hold whenever the service is at rest, whatever was killed before. */
export interface Invariant {
  /** As in the list of invariants, `I1` – `I11`. */
  id: string;
  title: string;
  /** Each breach in one line for people. */
  check(deps: AuditDeps): AsyncIterable<string>;
}
