import type { Chunk } from '../../../domain/documents/split-element.ts';
import type { Extraction, QualityDocument } from '../truth.ts';

/** A program whose extractions are scored. */
export interface System {
  name: string;
  /** It reads tables and nothing besides. */
  tablesOnly?: boolean;
  /** Undefined if the program does not support the type of the document, or failed on it. */
  extract(document: QualityDocument, path: string): Promise<Extraction | undefined>;
  /** The document split for search, as users of the program would split it; undefined as for `extract`. */
  passages(document: QualityDocument, path: string): Promise<Chunk[] | undefined>;
  close(): Promise<void>;
}
