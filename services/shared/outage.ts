import { ObjectStoreUnavailable } from '../../adapters/object-store/errors.ts';
import { VectorIndexError } from '../../adapters/vector-index/vector-index-error.ts';
import { EngineUnavailable } from '../../temporal/client.ts';

/** Trouble with Postgres or the way to it, a timeout among them, by SQLSTATE or by Node's own codes. */
const DATABASE_DOWN = /^(08|57P|57014|55P03|25P03|53300|ECONN|ETIMEDOUT|EPIPE|ENOTFOUND)/;
const DATABASE_MESSAGE =
  /timeout exceeded when trying to connect|Connection terminated|Query read timeout|is not queryable/i;

/**
 * Which server behind us is out of reach, when that is why something failed: then it is nobody's fault who asked, and
 * trying again later helps. Undefined for everything else.
 */
export function outage(
  error: unknown,
): 'object store' | 'database' | 'workflow engine' | 'vector index' | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ObjectStoreUnavailable) return 'object store';
    if (cause instanceof EngineUnavailable) return 'workflow engine';
    if (cause instanceof VectorIndexError && cause.code === 'VECTOR_INDEX_UNAVAILABLE') return 'vector index';
    const { code } = cause as { code?: unknown };
    if (typeof code === 'string' && DATABASE_DOWN.test(code)) return 'database';
    if (DATABASE_MESSAGE.test(cause.message)) return 'database';
  }
  return undefined;
}
