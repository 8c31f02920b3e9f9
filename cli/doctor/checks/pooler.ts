import type { Duplex } from 'node:stream';

/** The parts used of a `pg` pool. */
export interface PgPool {
  connect(): Promise<PgClient>;
}
interface PgClient {
  connection: { stream: Duplex };
  query(sql: string): Promise<{ rows: { pid: number }[] }>;
  release(): void;
}

/** A busy pooler may happen to hand out different servers. */
const ATTEMPTS = 3;
const PID = 'select pg_backend_pid() as pid';

/**
 * Whether the server's session changes hands between transactions, as behind a pooler in transaction mode: while one
 * client is connected but idle, another gets its session.
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
