import type { EntityManager } from '@mikro-orm/postgresql';
import { AppError } from '../../domain/app-error.ts';
import { isStatementTimeout } from '../shared/outage.ts';

const RETRY_AFTER_SECONDS = 5;

/**
 * Runs the reads of a search in a transaction whose statements have a time limit of their own, so that searches cannot
 * occupy the database as long as other queries may.
 *
 * @throws AppError SEARCH_TIMEOUT
 */
export async function withSearchTimeout<R>(
  em: EntityManager,
  timeoutMs: number,
  read: (em: EntityManager) => Promise<R>,
): Promise<R> {
  try {
    return await em.fork().transactional(
      async (tx) => {
        await tx.execute("select set_config('statement_timeout', ?, true)", [String(timeoutMs)]);
        return read(tx);
      },
      { readOnly: true },
    );
  } catch (error) {
    if (!isStatementTimeout(error)) throw error;
    throw new AppError(
      'SEARCH_TIMEOUT',
      `the search took longer than ${timeoutMs} ms; use fewer words, or filters`,
      { retryAfterSeconds: RETRY_AFTER_SECONDS },
      { cause: error },
    );
  }
}
