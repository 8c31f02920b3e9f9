import type { EntityManager } from '@mikro-orm/postgresql';
import { AppError } from '../../domain/app-error.ts';
import { isStatementTimeout } from '../shared/outage.ts';

const RETRY_AFTER_SECONDS = 5;
/** A statement may end so much later; most statements take less, so that one limit is enough for a transaction. */
const TOLERANCE_MS = 50;

/** The time limit of the search of one request, across all its statements and calls. */
export class SearchDeadline {
  readonly #timeoutMs: number;
  readonly #beganAt = performance.now();
  readonly #limits = new WeakMap<EntityManager, number>();

  /** Starts the time limit. */
  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Remaining milliseconds, at least one.
   *
   * @throws AppError SEARCH_TIMEOUT
   */
  left(): number {
    const left = Math.ceil(this.#remaining());
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
    const left = this.left();
    if ((this.#limits.get(tx) ?? Infinity) - left <= TOLERANCE_MS) return;
    this.#limits.set(tx, left);
    await tx.execute("select set_config('statement_timeout', ?, true)", [String(left)]);
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

  /**
   * Waits for a model or an index until a share of the time limit has passed; the rest is for what replaces its result.
   *
   * @param ask gets a signal that aborts then
   * @throws AppError SERVICE_UNAVAILABLE when a part has passed, SEARCH_TIMEOUT when all has, and the errors of `ask`
   */
  async within<R>(share: number, ask: (late: AbortSignal) => Promise<R>): Promise<R> {
    const late = AbortSignal.timeout(Math.max(1, Math.ceil(this.#remaining(share))));
    const passed = Promise.withResolvers<never>();
    const tooLate = (cause?: unknown) => (share < 1 ? notInTime(cause) : this.passed(cause));
    const onLate = (): void => passed.reject(tooLate());
    late.addEventListener('abort', onLate, { once: true });
    try {
      return await Promise.race([ask(late), passed.promise]);
    } catch (error) {
      throw late.aborted ? tooLate(error) : error;
    } finally {
      late.removeEventListener('abort', onLate);
    }
  }

  #remaining(share = 1): number {
    return this.#beganAt + this.#timeoutMs * share - performance.now();
  }
}

function notInTime(cause?: unknown): AppError {
  const details = { retryAfterSeconds: RETRY_AFTER_SECONDS };
  return new AppError('SERVICE_UNAVAILABLE', 'the query was not compared in time', details, { cause });
}
