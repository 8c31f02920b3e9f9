import type { Extraction, QualityDocument } from '../truth.ts';

/** A program whose result is scored. */
export interface System {
  name: string;
  /** Undefined where it does not take such documents, or failed on this one. */
  extract(document: QualityDocument, path: string): Promise<Extraction | undefined>;
  close(): Promise<void>;
}
