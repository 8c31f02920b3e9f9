import type { Chunk } from '../../../domain/documents/split-element.ts';
import type { Extraction, QualityDocument } from '../truth.ts';

/** A program whose result is scored. */
export interface System {
  name: string;
  /** Undefined where it does not take such documents, or failed on this one. */
  extract(document: QualityDocument, path: string): Promise<Extraction | undefined>;
  /** The document divided for search, as its users would; undefined as above. */
  passages(document: QualityDocument, path: string): Promise<Chunk[] | undefined>;
  close(): Promise<void>;
}
