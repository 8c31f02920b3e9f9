import { DriverException, UniqueConstraintViolationException } from '@mikro-orm/core';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm, type Orm } from '../../../db/create-orm.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { outage } from '../../../services/shared/outage.ts';

let orm: Orm;

before(() => {
  orm = createOrm({ ...readConfig([databaseConfig], process.env), DATABASE_POOL_SIZE: 1 });
});
after(() => orm.close(true));

const SERVERS: Record<string, ((socket: Socket) => void) | undefined> = {
  'refuses connections': undefined,
  'ends connections': (socket) => socket.once('data', () => socket.end()),
  'resets connections': (socket) => socket.once('data', () => socket.resetAndDestroy()),
};

for (const [behaviour, onConnection] of Object.entries(SERVERS)) {
  test(`a server that ${behaviour} is an outage of the database only at the address of Postgres`, async () => {
    const { port, close } = await listen(onConnection);
    const away = createOrm({
      DATABASE_URL: `postgresql://someone:secret@127.0.0.1:${port}/anything`,
      DATABASE_POOL_SIZE: 1,
    });
    try {
      const ways: Record<string, () => Promise<unknown>> = {
        query: () => away.em.fork().execute('select 1'),
        transaction: () => away.em.fork().transactional((tx) => tx.execute('select 1')),
      };
      for (const [way, run] of Object.entries(ways)) assert.equal(await outageOf(run()), 'database', way);
      const url = `http://127.0.0.1:${port}/`;
      assert.equal(await outageOf(fetch(url)), undefined, 'fetch');
    } finally {
      await away.close(true);
      close();
    }
  });
}

test('a query that exceeds the statement timeout is an outage of the database', async () => {
  const slow = orm.em.fork().transactional(async (tx) => {
    await tx.execute("select set_config('statement_timeout', '50', true)");
    await tx.execute('select pg_sleep(60)');
  });
  assert.equal(await outageOf(slow), 'database');
});

test('an exhausted pool is an outage of the database', async () => {
  const pool = (await orm.em.getConnection().getNativeClient()) as {
    options: { connectionTimeoutMillis: number };
  };
  const patience = pool.options.connectionTimeoutMillis;
  pool.options.connectionTimeoutMillis = 50;
  try {
    await orm.em.fork().transactional(async (tx) => {
      await tx.execute('select 1');
      assert.equal(await outageOf(orm.em.fork().execute('select 1')), 'database');
      assert.equal(await outageOf(orm.em.fork().transactional(async () => undefined)), 'database');
    });
  } finally {
    pool.options.connectionTimeoutMillis = patience;
  }
});

test('a connection that dies before its commit is an outage of the database', async () => {
  const other = createOrm(readConfig([databaseConfig], process.env));
  const em = orm.em.fork();
  try {
    // Begun manually: in a transactional block the other pool would get this transaction's connection.
    await em.begin();
    const [backend] = await em.execute<{ pid: number }[]>('select pg_backend_pid() as pid');
    await other.em.fork().execute('select pg_terminate_backend(?, 10000)', [backend?.pid]);
    assert.equal(await outageOf(em.commit()), 'database');
  } finally {
    await other.close(true);
  }
});

test('an error in the query itself is not an outage, and keeps its class', async () => {
  const wrong = await failure(orm.em.fork().execute('select * from nothing_of_this_name'));
  assert.ok(wrong instanceof DriverException);
  assert.equal(outage(wrong), undefined);
  const late = orm.em.fork().transactional(async (tx) => {
    await tx.execute(
      'create temporary table once (id int unique deferrable initially deferred) on commit drop',
    );
    await tx.execute('insert into once values (1), (1)');
  });
  const twice = await failure(late);
  assert.ok(twice instanceof UniqueConstraintViolationException, String(twice));
  assert.equal(outage(twice), undefined);
});

async function outageOf(work: Promise<unknown>) {
  return outage(await failure(work));
}

async function failure(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (error) {
    return error;
  }
  return assert.fail('a failure was expected');
}

/** A port with a server of this behaviour, or with none. */
async function listen(onConnection?: (socket: Socket) => void) {
  const server: Server = createServer((socket) => {
    socket.on('error', () => undefined);
    onConnection?.(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  if (!onConnection) await new Promise((resolve) => server.close(resolve));
  return { port, close: () => void server.close() };
}
