import type { RawQueryFragment } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';

/** The values of a row as Postgres writes them, in the order of the columns. */
export type RowValues = (string | null)[];

/** The parts used of a connection that is checked out of a pool of `pg`. */
interface Client {
  query: (query: RowStream) => unknown;
  release: (discard: boolean) => void;
}
interface Pool {
  connect(): Promise<Client>;
}

/**
 * Runs a query on a connection of the pool, so outside of the transaction of the caller, and hands over each row as it
 * arrives; none is kept.
 *
 * @param onRow called for each row. What it throws ends the query, with its connection
 * @throws DriverException, what `onRow` throws
 */
export async function streamRows(
  em: EntityManager,
  query: RawQueryFragment,
  onRow: (values: RowValues) => void,
): Promise<void> {
  const pool = (await em.getConnection().getNativeClient()) as Pool;
  const client = await pool.connect();
  const stream = new RowStream(em.getPlatform().formatQuery(query.sql, query.params), onRow);
  let ended = false;
  try {
    client.query(stream);
    await stream.ended;
    ended = true;
  } catch (error) {
    if (stream.failure) throw stream.failure.error;
    throw em.getDriver().convertException(error as Error);
  } finally {
    client.release(!ended);
  }
}

/** A query for `pg`, which calls these methods. Its own keeps all rows, or emits an event for each. */
class RowStream {
  /** Set by the client where it has a time limit, which ends with this call. */
  callback?: () => void;
  readonly ended: Promise<void>;
  /** What `onRow` has thrown. */
  failure: { error: unknown } | undefined;
  readonly #text: string;
  readonly #onRow: (values: RowValues) => void;
  readonly #end: PromiseWithResolvers<void> = Promise.withResolvers();

  constructor(text: string, onRow: (values: RowValues) => void) {
    this.#text = text;
    this.#onRow = onRow;
    this.ended = this.#end.promise;
  }

  submit(connection: { query: (text: string) => void }): void {
    connection.query(this.#text);
  }

  handleRowDescription(): void {
    // The caller knows its columns.
  }

  handleDataRow({ fields }: { fields: RowValues }): void {
    // More arrive until the connection is closed.
    if (this.failure) return;
    try {
      this.#onRow(fields);
    } catch (error) {
      // A socket calls this, and would have nothing to catch it.
      this.failure = { error };
      this.handleError(error as Error);
    }
  }

  handleCommandComplete(): void {
    // The server is ready for the next query a moment later.
  }

  handleReadyForQuery(): void {
    this.callback?.();
    this.#end.resolve();
  }

  handleError(error: Error): void {
    this.callback?.();
    this.#end.reject(error);
  }
}
