import type { EntityManager } from '@mikro-orm/postgresql';
import { AppError } from '../../domain/app-error.ts';
import { isStatementTimeout } from '../shared/outage.ts';

const RETRY_AFTER_SECONDS = 5;

/** The time limit of the search of one request, across all its statements and calls. */
export class SearchDeadline {
  readonly #timeoutMs: number;
  readonly #endsAt: number;

  /** Starts the time limit. */
  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
    this.#endsAt = performance.now() + timeoutMs;
  }

  /**
   * Remaining milliseconds, at least one.
   *
   * @throws AppError SEARCH_TIMEOUT
   */
  left(): number {
    const left = Math.ceil(this.#endsAt - performance.now());
    if (left < 1) throw this.passed();
    return left;
  }

  /** The error of a search that ran out of time. */
  passed(cause?: unknown): AppError {
    return new AppError(
      'SEARCH_TIMEOUT',
      `the search took longer than ${this.#timeoutMs} ms; use fewer words, or filters`,
      { retryAfterSeconds: RETRY_AFTER_SECONDS },
      { cause },
    );
  }

  /** Limits the next statement to the remaining time: Postgres limits each statement separately. */
  async limit(tx: EntityManager): Promise<void> {
    await tx.execute("select set_config('statement_timeout', ?, true)", [String(this.left())]);
  }

  /**
   * Runs a read of the search in a transaction within the time limit; between its statements it calls `limit` again.
   *
   * @throws AppError SEARCH_TIMEOUT
   */
  async read<R>(em: EntityManager, read: (tx: EntityManager) => Promise<R>): Promise<R> {
    try {
      return await em.fork().transactional(
        async (tx) => {
          await this.limit(tx);
          return read(tx);
        },
        { readOnly: true },
      );
    } catch (error) {
      throw isStatementTimeout(error) ? this.passed(error) : error;
    }
  }
}
