import type { RawQueryFragment } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';

/** The parts used of a connection that is checked out of a pool of `pg`. */
interface Client {
  query: (query: CopyOut) => unknown;
  release: (discard: boolean) => void;
}
interface Pool {
  connect(): Promise<Client>;
}

/** Before the first row of the binary format: signature, flags, and the length of an extension that there is not. */
const HEADER_BYTES = 19;
/** Before the only value of a binary row: how many values it has, and the length of this one. */
const ROW_HEADER_BYTES = 6;

/**
 * Runs `COPY (query) TO STDOUT` on a connection of the pool, so outside of the transaction of the caller: bytes arrive as
 * Postgres writes them, and nothing is made of them here.
 *
 * @param format `csv`: a line of cells by RFC 4180, without its end; `text`: the bytes of the only column, as they are
 * @param onRow called for each row; its bytes are overwritten afterwards. What it throws ends the query, with its connection
 * @throws DriverException, what `onRow` throws
 */
export async function copyOut(
  em: EntityManager,
  query: RawQueryFragment,
  format: 'csv' | 'text',
  onRow: (row: Uint8Array) => void,
): Promise<void> {
  const pool = (await em.getConnection().getNativeClient()) as Pool;
  // COPY takes no parameters.
  const select = em.getPlatform().formatQuery(query.sql, query.params);
  const client = await pool.connect();
  const copy = new CopyOut(select, format, onRow);
  let ended = false;
  try {
    client.query(copy);
    await copy.ended;
    ended = true;
  } catch (error) {
    if (copy.failure) throw copy.failure.error;
    throw em.getDriver().convertException(error as Error);
  } finally {
    client.release(!ended);
  }
}

/**
 * A query for `pg`, which calls these methods; it has no COPY of its own. Not by `pg-copy-streams`: it joins the rows, of
 * which the protocol has one in each message, and the client's time limit would end a statement that has ended already.
 */
class CopyOut {
  /** Set by the client where it has a time limit, to be told that the query has ended. */
  callback?: () => void;
  readonly ended: Promise<void>;
  /** What `onRow` has thrown. */
  failure: { error: unknown } | undefined;
  readonly #text: string;
  readonly #binary: boolean;
  readonly #onRow: (row: Uint8Array) => void;
  readonly #end: PromiseWithResolvers<void> = Promise.withResolvers();
  #first = true;

  constructor(select: string, format: 'csv' | 'text', onRow: (row: Uint8Array) => void) {
    this.#binary = format === 'text';
    this.#text = `copy (${select}) to stdout (format ${this.#binary ? 'binary' : 'csv'})`;
    this.#onRow = onRow;
    this.ended = this.#end.promise;
  }

  submit(connection: { query: (text: string) => void }): void {
    connection.query(this.#text);
  }

  handleCopyData({ chunk }: { chunk: Buffer }): void {
    // More arrive until the connection is closed.
    if (this.failure) return;
    try {
      this.#add(chunk);
    } catch (error) {
      // Thrown on, it would be nobody's: a socket calls this.
      this.failure = { error };
      this.handleError(error as Error);
    }
  }

  #add(chunk: Buffer): void {
    if (!this.#binary) return this.#onRow(chunk.subarray(0, -1));
    const row = this.#first ? chunk.subarray(HEADER_BYTES) : chunk;
    this.#first = false;
    // The trailer has no values.
    if (row.length >= ROW_HEADER_BYTES) this.#onRow(row.subarray(ROW_HEADER_BYTES));
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
