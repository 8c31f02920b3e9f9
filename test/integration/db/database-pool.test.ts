import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
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
