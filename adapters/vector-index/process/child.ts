/** The process of an embedded index. Its argument: the options of createLanceDbIndex as JSON. Ends with its parent. */
import { createLanceDbIndex, type LanceDbOptions } from '../lancedb-index.ts';
import { VectorIndexError } from '../vector-index-error.ts';
import type { IndexReply, IndexRequest } from './messages.ts';

const index = createLanceDbIndex(JSON.parse(process.argv[2] ?? '') as LanceDbOptions);

process.title = 'darkroom-vectors';
// Only the parent ends this process: a Ctrl-C to the whole process group must not interrupt a write.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
process.on('message', (request) => void answer(request as IndexRequest));

async function answer({ id, method, args }: IndexRequest): Promise<void> {
  process.send?.(await reply(id, () => Reflect.apply(index[method], index, args) as Promise<unknown>));
}

async function reply(id: number, work: () => Promise<unknown>): Promise<IndexReply> {
  try {
    return { id, result: await work() };
  } catch (error) {
    const known = error instanceof VectorIndexError;
    const code = known ? error.code : 'VECTOR_INDEX_UNAVAILABLE';
    const message = known ? error.message : 'the vector index failed';
    return { id, error: { code, message, detail: String(known ? error.cause : error) } };
  }
}
