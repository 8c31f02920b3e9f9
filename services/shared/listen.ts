import type { EventEmitter } from 'node:events';
import type { Orm } from '../../db/create-orm.ts';

/** Delay before reconnecting. */
const RETRY_MS = 1000;

/** The used subset of a `pg` connection. */
export interface ListeningConnection extends EventEmitter {
  query(sql: string, values?: readonly unknown[]): Promise<unknown>;
  release(destroy: boolean): void;
}
interface Pool {
  connect(): Promise<ListeningConnection>;
}

/**
 * Takes a connection for notifications. It must not go back to the pool: release it with `true`.
 *
 * @param onEnd the connection broke
 */
export async function connectListener(
  orm: Orm,
  on: { onNotified: (payload: string) => void; onEnd: (connection: ListeningConnection) => void },
): Promise<ListeningConnection> {
  const pool = (await orm.em.getConnection().getNativeClient()) as Pool;
  const connection = await pool.connect();
  connection.on('notification', ({ payload = '' }: { payload?: string }) => on.onNotified(payload));
  const onEnd = () => on.onEnd(connection);
  // Never removed: an unhandled error would end the process, even after the release.
  connection.on('error', onEnd);
  connection.once('end', onEnd);
  return connection;
}

/**
 * Listens to a Postgres channel on its own connection, and reconnects. Notifications may be lost while it
 * reconnects, so the caller must also poll.
 *
 * @param onNotified also called each time listening begins
 * @returns a function that stops it
 */
export function listen(
  orm: Orm,
  channel: string,
  { onNotified, onError }: { onNotified: () => void; onError: (error: unknown) => void },
): () => void {
  let connection: ListeningConnection | undefined;
  let closed = false;
  let retry: NodeJS.Timeout | undefined;

  async function connect(): Promise<void> {
    try {
      connection = await connectListener(orm, {
        onNotified,
        onEnd: (ended) => {
          if (connection === ended) drop();
        },
      });
      await connection.query(`listen ${channel}`);
      onNotified();
    } catch (error) {
      onError(error);
      drop();
    }
    if (closed) drop();
  }

  function drop(): void {
    const dropped = connection;
    connection = undefined;
    dropped?.release(true);
    clearTimeout(retry);
    if (!closed) retry = setTimeout(() => void connect(), RETRY_MS);
  }

  void connect();
  return () => {
    closed = true;
    drop();
  };
}
