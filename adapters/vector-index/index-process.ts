/** The module of the process of an embedded index. Its argument: the options of createLanceDbIndex as JSON. */
import type { Numbered } from '../../engines/hosts/call-host.ts';
import { createLanceDbIndex, type LanceDbOptions } from './lancedb-index.ts';
import { VectorIndexError, type VectorIndexErrorCode, type VectorIndex } from './vector-index.ts';

/** The methods of an index that its process serves; closing ends the process. */
export type IndexMethod = Exclude<keyof VectorIndex, 'close'>;

export interface IndexRequest {
  method: IndexMethod;
  args: unknown[];
}

export type IndexReply =
  | { result: unknown }
  | { error: { code: VectorIndexErrorCode; message: string; detail: string } };

const index = createLanceDbIndex(JSON.parse(process.argv[3] ?? '') as LanceDbOptions);

process.title = 'darkroom-vectors';

export async function handle({
  id,
  value: { method, args },
}: Numbered<IndexRequest>): Promise<Numbered<IndexReply>> {
  try {
    return { id, value: { result: await (Reflect.apply(index[method], index, args) as Promise<unknown>) } };
  } catch (error) {
    const known = error instanceof VectorIndexError;
    const code = known ? error.code : 'VECTOR_INDEX_UNAVAILABLE';
    const message = known ? error.message : 'the vector index failed';
    return { id, value: { error: { code, message, detail: String(known ? error.cause : error) } } };
  }
}
