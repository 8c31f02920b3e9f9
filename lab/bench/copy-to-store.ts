import type { RawQueryFragment } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';

interface Client {
  query: (query: object) => unknown;
  release: (discard: boolean) => void;
}

/**
 * Runs `COPY (query) TO STDOUT (FORMAT csv)` and discards the output.
 *
 * @returns the number of rows
 */
export async function copyOut(em: EntityManager, query: RawQueryFragment): Promise<number> {
  const pool = (await em.getConnection().getNativeClient()) as { connect(): Promise<Client> };
  const client = await pool.connect();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let rows = 0;
  // The query interface that `pg` calls; its own query classes do not support COPY.
  const copy = {
    callback: undefined as (() => void) | undefined,
    submit: (connection: { query: (text: string) => void }) => {
      const select = em.getPlatform().formatQuery(query.sql, query.params);
      connection.query(`copy (${select}) to stdout (format csv)`);
    },
    handleCopyData: () => (rows += 1),
    handleCommandComplete: () => undefined,
    handleReadyForQuery: () => {
      copy.callback?.();
      resolve();
    },
    handleError: (error: Error) => {
      copy.callback?.();
      reject(error);
    },
  };
  client.query(copy);
  await promise.finally(() => client.release(true));
  return rows;
}
