import type { VectorIndex } from '../vector-index.ts';
import type { VectorIndexErrorCode } from '../vector-index-error.ts';

/** The methods of an index that its process serves; closing ends the process. */
export type IndexMethod = Exclude<keyof VectorIndex, 'close'>;

/** Parent to child, any number at a time. */
export interface IndexRequest {
  id: number;
  method: IndexMethod;
  args: unknown[];
}

/** Child to parent, in any order. */
export type IndexReply = { id: number } & (
  | { result: unknown }
  | { error: { code: VectorIndexErrorCode; message: string; detail: string } }
);
