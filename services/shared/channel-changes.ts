import { randomUUID } from 'node:crypto';
import type { Orm } from '../../db/create-orm.ts';
import { connectListener, type ListeningConnection } from './listen.ts';

/** The Postgres channel that `notify_followers` notifies, see the migration `live_followers`. */
const NOTIFICATIONS = 'live_channels';
/** Delay before reconnecting; until then, followers rely on polling. */
const RETRY_MS = 1000;
const RENEW_MS = 30_000;

/** Rows that are not renewed belong to a dead process; any other process removes them. */
const FOLLOW = `insert into live_followers (channel, connection, expires_at)
  select unnest($1::text[]), $2, now() + interval '2 minutes'
  on conflict (channel, connection) do update set expires_at = excluded.expires_at`;
const LEAVE = 'delete from live_followers where channel = $1 and connection = $2';
const LEAVE_ALL = 'delete from live_followers where connection = $1';
const REMOVE_EXPIRED = 'delete from live_followers where expires_at < now()';

interface Listener {
  /** Identifies this connection among the followers. */
  id: string;
  connection: ListeningConnection;
  query: ListeningConnection['query'];
  renewal: NodeJS.Timeout;
}

/** Notifies of committed changes to the resources of live channels, by any process. */
export interface ChannelChanges {
  /**
   * @param onChange also called once listening has begun, since earlier changes are not notified
   * @returns a function that unsubscribes
   */
  subscribe(channel: string, onChange: () => void): () => void;
  close(): void;
}

/**
 * Listens to Postgres on one connection while there are subscribers, and registers their channels in
 * `live_followers`; writers notify only these. Notifications may be lost while it reconnects, and for
 * transactions that began before the channel was registered, so a subscriber must also poll every few
 * seconds.
 */
export function createChannelChanges(orm: Orm, onError: (error: unknown) => void): ChannelChanges {
  const subscribers = new Map<string, Set<() => void>>();
  let listener: Listener | undefined;
  let connecting = false;
  let closed = false;
  let retry: NodeJS.Timeout | undefined;

  async function connect(): Promise<void> {
    if (closed || connecting || listener || subscribers.size === 0) return;
    connecting = true;
    let opened: Listener | undefined;
    try {
      const connection = await connectListener(orm, {
        onNotified: wake,
        onEnd: (ended) => {
          if (listener?.connection === ended) drop();
        },
      });
      const renewal = setInterval(() => void send((open) => renew(open)), RENEW_MS);
      opened = { id: randomUUID(), connection, query: inTurn(connection), renewal };
      listener = opened;
      await opened.query(`listen ${NOTIFICATIONS}`);
      if (listener !== opened) return;
      await renew(opened);
      for (const channel of subscribers.keys()) wake(channel);
    } catch (error) {
      // The connection was dropped in the meantime.
      if (listener !== opened) return;
      onError(error);
      drop();
    } finally {
      connecting = false;
    }
    if (subscribers.size === 0) drop();
  }

  function wake(channel: string): void {
    for (const onChange of subscribers.get(channel) ?? []) onChange();
  }

  async function follow({ id, query }: Listener, channel: string): Promise<void> {
    await query(FOLLOW, [[channel], id]);
    wake(channel);
  }

  async function renew({ id, query }: Listener): Promise<void> {
    await query(FOLLOW, [[...subscribers.keys()], id]);
    await query(REMOVE_EXPIRED);
  }

  /** Sends statements on the open connection, if any; a failure closes it. */
  async function send(statements: (open: Listener) => Promise<unknown>): Promise<void> {
    const open = listener;
    if (!open) return connect();
    try {
      await statements(open);
    } catch (error) {
      if (listener !== open) return;
      onError(error);
      drop();
    }
  }

  function drop(): void {
    const dropped = listener;
    listener = undefined;
    if (dropped) {
      const { id, connection, query, renewal } = dropped;
      clearInterval(renewal);
      const release = () => connection.release(true);
      query(LEAVE_ALL, [id]).then(release, release);
    }
    clearTimeout(retry);
    if (!closed && subscribers.size > 0) retry = setTimeout(() => void connect(), RETRY_MS);
  }

  return {
    subscribe(channel, onChange) {
      const all = subscribers.get(channel) ?? new Set();
      subscribers.set(channel, all.add(onChange));
      void send((open) => follow(open, channel));
      return () => {
        all.delete(onChange);
        if (all.size > 0) return;
        subscribers.delete(channel);
        if (subscribers.size > 0) void send(({ id, query }) => query(LEAVE, [channel, id]));
        else if (!connecting) drop();
      };
    },
    close() {
      closed = true;
      subscribers.clear();
      drop();
    },
  };
}

/** Sends one statement at a time. */
function inTurn(connection: ListeningConnection): ListeningConnection['query'] {
  let turn: Promise<unknown> = Promise.resolve();
  return (sql, values) => {
    const answer = turn.then(() => connection.query(sql, values));
    turn = answer.catch(() => undefined);
    return answer;
  };
}
