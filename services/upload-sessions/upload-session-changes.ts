import type { EventEmitter } from 'node:events';
import type { Orm } from '../../db/create-orm.ts';

/** The channel that the triggers of the session tables notify, see the migration `upload_sessions`. */
const CHANNEL = 'upload_sessions';
/** Delay before reconnecting; meanwhile subscribers rely on polling. */
const RETRY_MS = 1000;

/** The used subset of a `pg` connection. */
interface Listener extends EventEmitter {
  query(sql: string): Promise<unknown>;
  release(destroy: boolean): void;
}
interface Pool {
  connect(): Promise<Listener>;
}

/** Notifies of committed changes of sessions by any process. */
export interface UploadSessionChanges {
  /** @returns a function that unsubscribes */
  subscribe(sessionId: string, onChange: () => void): () => void;
  close(): void;
}

/**
 * Listens to Postgres on one connection while there are subscribers. Notifications may be lost while it reconnects, so
 * a subscriber must also poll every few seconds.
 */
export function createUploadSessionChanges(
  orm: Orm,
  onTrouble: (error: unknown) => void,
): UploadSessionChanges {
  const subscribers = new Map<string, Set<() => void>>();
  let listener: Listener | undefined;
  let connecting = false;
  let closed = false;
  let retry: NodeJS.Timeout | undefined;

  async function connect(): Promise<void> {
    if (closed || connecting || listener || subscribers.size === 0) return;
    connecting = true;
    try {
      const pool = (await orm.em.getConnection().getNativeClient()) as Pool;
      const client = await pool.connect();
      client.on('notification', ({ payload }: { payload?: string }) => {
        for (const onChange of subscribers.get(payload ?? '') ?? []) onChange();
      });
      client.once('error', drop);
      client.once('end', drop);
      listener = client;
      await client.query(`listen ${CHANNEL}`);
      // Catch up on changes made before `listen`.
      for (const all of subscribers.values()) for (const onChange of all) onChange();
    } catch (error) {
      onTrouble(error);
      drop();
    } finally {
      connecting = false;
    }
    if (subscribers.size === 0) drop();
  }

  /** A listening connection must not go back to the pool. */
  function drop(): void {
    const client = listener;
    listener = undefined;
    client?.removeListener('end', drop);
    client?.release(true);
    clearTimeout(retry);
    if (!closed && subscribers.size > 0) retry = setTimeout(() => void connect(), RETRY_MS);
  }

  return {
    subscribe(sessionId, onChange) {
      const all = subscribers.get(sessionId) ?? new Set();
      subscribers.set(sessionId, all.add(onChange));
      void connect();
      return () => {
        all.delete(onChange);
        if (all.size === 0) subscribers.delete(sessionId);
        if (subscribers.size === 0 && !connecting) drop();
      };
    },
    close() {
      closed = true;
      subscribers.clear();
      drop();
    },
  };
}
