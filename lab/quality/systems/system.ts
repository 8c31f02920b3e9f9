import type { Extraction, QualityDocument } from '../truth.ts';

/** A program whose extractions are scored. */
export interface System {
  name: string;
  /** It reads tables and nothing besides. */
  tablesOnly?: boolean;
  /** Undefined if the program does not support the type of the document, or failed on it. */
  extract(document: QualityDocument, path: string): Promise<Extraction | undefined>;
  close(): Promise<void>;
}
