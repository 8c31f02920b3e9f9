import type { Duplex } from 'node:stream';

/** The subset of a `pg` pool that is used here. */
export interface PgPool {
  connect(): Promise<PgClient>;
}
interface PgClient {
  connection: { stream: Duplex };
  query(sql: string): Promise<{ rows: { pid: number }[] }>;
  release(): void;
}

/** One attempt is not conclusive: a busy pooler may happen to assign different sessions. */
const ATTEMPTS = 3;
const PID = 'select pg_backend_pid() as pid';

/**
 * Whether clients share server sessions between transactions, as behind a pooler in transaction mode: a second client
 * gets the session of a first one that is connected but idle.
 */
export async function poolsTransactions(pool: PgPool): Promise<boolean> {
  const first = await pool.connect();
  try {
    const second = await pool.connect();
    try {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const before = await pidOf(first);
        await second.query('begin');
        const other = await pidOf(second);
        const after = await pidOf(first);
        await second.query('commit');
        if (other === before || after !== before) return true;
      }
      return false;
    } finally {
      second.release();
    }
  } finally {
    first.release();
  }
}

async function pidOf(client: PgClient): Promise<number | undefined> {
  return (await client.query(PID)).rows[0]?.pid;
}
