import type { EventEmitter } from 'node:events';
import type { Orm } from '../../db/create-orm.ts';

/** Delay before reconnecting. */
const RETRY_MS = 1000;

/** The used subset of a `pg` connection. */
interface Listener extends EventEmitter {
  query(sql: string): Promise<unknown>;
  release(destroy: boolean): void;
}
interface Pool {
  connect(): Promise<Listener>;
}

/**
 * Listens to a channel of Postgres on a connection of its own, and reconnects. Notifications may be lost meanwhile, so
 * whoever is notified must also look by itself at times.
 *
 * @param onNotified also called once it listens
 * @returns a function that ends it
 */
export function listen(
  orm: Orm,
  channel: string,
  { onNotified, onTrouble }: { onNotified: () => void; onTrouble: (error: unknown) => void },
): () => void {
  let client: Listener | undefined;
  let closed = false;
  let retry: NodeJS.Timeout | undefined;

  async function connect(): Promise<void> {
    try {
      const pool = (await orm.em.getConnection().getNativeClient()) as Pool;
      const connected = await pool.connect();
      client = connected;
      connected.on('notification', onNotified);
      connected.once('error', drop);
      connected.once('end', drop);
      await connected.query(`listen ${channel}`);
      onNotified();
    } catch (error) {
      onTrouble(error);
      drop();
    }
    if (closed) drop();
  }

  /** A listening connection must not go back to the pool. */
  function drop(): void {
    const dropped = client;
    client = undefined;
    dropped?.removeListener('end', drop);
    dropped?.removeListener('notification', onNotified);
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
