import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm, type Orm } from '../../../db/create-orm.ts';
import { createMigratingOrm } from '../../../db/migrator.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';

/** Deliveries of version 0.1, in a database of their own that is migrated around them. */
const config = readConfig([databaseConfig], process.env);
const name = `earlier_deliveries_${randomUUID().slice(0, 8)}`;
const server = createOrm(config);
let orm: Orm;

before(async () => {
  await server.em.execute(`create database ${name}`);
  const url = new URL(config.DATABASE_URL);
  url.pathname = name;
  orm = createMigratingOrm({ ...config, DATABASE_URL: url.href });
});
after(async () => {
  await orm.close(true);
  await server.em.execute(`drop database ${name} with (force)`);
  await server.close(true);
});

test('an upgrade keeps the attempts and the times of deliveries that are open', async () => {
  await orm.migrator.up({ to: 'Migration20261130000500_words_rebuilt' });
  const add = `insert into webhook_deliveries (id, tenant_id, subscription_id, event_id, status, generation, attempts,
      next_attempt_at, engine_due_at, created_at)
    select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), status, generation, attempts,
      now() + next_hours * interval '1 hour', now() + due_hours * interval '1 hour', now()
    from (values ('pending', 2, 10, null, null), ('sending', 3, 12, null, -1), ('retrying', 2, 11, 2, null),
      ('retrying', 1, 1, 1, -1), ('retrying', 1, 3, 4, 4), ('failed', 2, 20, null, -1))
      as made(status, generation, attempts, next_hours, due_hours)`;
  await orm.em.fork().transactional(async (tx) => {
    // Without their webhooks and events.
    await tx.execute('set local session_replication_role = replica');
    await tx.execute(add);
  });
  await orm.migrator.up();
  const rows = await orm.em.fork().execute(
    `select attempts, attempts_before as before, round(extract(epoch from engine_due_at - created_at) / 3600)::int as due
     from webhook_deliveries order by attempts`,
  );
  assert.deepEqual(
    rows.map(({ attempts, before, due }) => [attempts, before, due]),
    [
      [1, 0, 1],
      [3, 0, 4],
      [10, 10, null],
      [11, 11, null],
      [12, 12, -1],
      [20, 0, -1],
    ],
  );
});
