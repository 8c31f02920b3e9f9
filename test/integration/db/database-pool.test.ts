import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { IsolationLevel, type EntityManager } from '@mikro-orm/postgresql';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm, type Orm } from '../../../db/create-orm.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { outage } from '../../../services/shared/outage.ts';
import { eventually } from '../../support/api.ts';

/** Cuts the connections of a small pool during transactions, as a crashing server does. */
const POOL_SIZE = 2;
let orm: Orm;
let other: Orm;

before(() => {
  const config = readConfig([databaseConfig], process.env);
  orm = createOrm({ ...config, DATABASE_POOL_SIZE: POOL_SIZE });
  other = createOrm(config);
});
after(async () => {
  await orm.close(true);
  await other.close(true);
});

test('a transaction whose connection dies frees its slot in the pool', async () => {
  for (let cut = 0; cut <= POOL_SIZE; cut += 1) {
    const failure: unknown = await orm.em
      .fork()
      .transactional(async (tx) => {
        const [backend] = await tx.execute<{ pid: number }[]>('select pg_backend_pid() as pid');
        assert.ok(backend);
        await other.em.execute('select pg_terminate_backend(?)', [backend.pid]);
        await eventually(async () => {
          const alive = await other.em.execute('select 1 from pg_stat_activity where pid = ?', [backend.pid]);
          assert.equal(alive.length, 0);
        });
        await tx.execute('select 1');
      })
      .catch((error: unknown) => error);
    assert.equal(outage(failure), 'database', String(failure));
  }
  assert.deepEqual(await orm.em.fork().execute('select 1 as one'), [{ one: 1 }]);
});

/** The transaction of a statement. */
const XID = 'select pg_current_xact_id()::text as id';

test('a transaction begins with its first statement, of whatever kind', async () => {
  const single = createOrm({ ...readConfig([databaseConfig], process.env), DATABASE_POOL_SIZE: 1 });
  const em = () => single.em.fork();
  const idIn = async (tx: EntityManager) => (await tx.execute<{ id: string }[]>(XID))[0]?.id;
  try {
    const [first, second] = await em().transactional(async (tx) => [await idIn(tx), await idIn(tx)]);
    assert.equal(first, second);
    await em().transactional(async (tx) => {
      const streamed: unknown[] = [];
      for await (const row of tx.getConnection().stream(XID, [], tx.getTransactionContext()))
        streamed.push(row);
      assert.deepEqual(streamed, [{ id: await idIn(tx) }]);
    });
    const isolated = await em().transactional((tx) => tx.execute('show transaction_isolation'), {
      isolationLevel: IsolationLevel.REPEATABLE_READ,
    });
    assert.deepEqual(isolated, [{ transaction_isolation: 'repeatable read' }]);

    await assert.rejects(em().transactional((tx) => tx.execute('select 1 / 0')));
    await assert.rejects(em().transactional((tx) => tx.execute('no statement')));
    await em().transactional(async () => undefined);
    // Nothing of those is left on the connection.
    assert.notEqual(await idIn(em()), await idIn(em()));
  } finally {
    await single.close(true);
  }
});
