import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { applyFunctions, schemaFunctions } from '../../../db/apply-functions.ts';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm, type Orm } from '../../../db/create-orm.ts';
import { createMigratingOrm, pendingMigrations } from '../../../db/migrator.ts';
import { webhookTriggers } from '../../../db/webhook-triggers.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { WEBHOOK_EVENTS } from '../../../domain/webhooks/events.ts';

/** The functions and triggers of db/functions, in a database of their own. */
const config = readConfig([databaseConfig], process.env);
const name = `schema_functions_${randomUUID().slice(0, 8)}`;
const server = createOrm(config);
let orm: Orm;
const em = () => orm.em.fork();
const ALL = Array.from(schemaFunctions().keys());

before(async () => {
  await server.em.execute(`create database ${name}`);
  const url = new URL(config.DATABASE_URL);
  url.pathname = name;
  orm = createMigratingOrm({ ...config, DATABASE_URL: url.href });
  await orm.migrator.up();
});
after(async () => {
  await orm.close(true);
  await server.em.execute(`drop database ${name}`);
  await server.close(true);
});

const namesOf = async (sql: string): Promise<string[]> =>
  (await em().execute<{ name: string }[]>(sql)).map((row) => row.name);

test('processes that start at once apply each file once, and nothing is pending then', async () => {
  assert.deepEqual(await pendingMigrations(em()), ALL);
  const applied = await Promise.all([applyFunctions(em()), applyFunctions(em())]);
  assert.deepEqual(applied.flat().toSorted(), ALL.toSorted());
  assert.deepEqual(await pendingMigrations(em()), []);
});

test('every function and trigger of the schema has its present definition in a file', async () => {
  const defined = (kind: string) =>
    new Set(
      Array.from(schemaFunctions().values()).flatMap((sql) =>
        Array.from(
          sql.matchAll(new RegExp(`\\bcreate (?:or replace )?(?:constraint )?${kind} "(\\w+)"`, 'g')),
        ).map(([, found]) => found),
      ),
    );
  const functions = await namesOf(`
    select distinct proname as name from pg_proc
    where pronamespace = 'public'::regnamespace
      and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')`);
  assert.deepEqual(new Set(functions), defined('function'));
  const triggers = await namesOf('select tgname as name from pg_trigger where not tgisinternal');
  assert.deepEqual(new Set(triggers), defined('trigger'));
});

test('code of another version applies its own functions, and this one its own again', async () => {
  await em().execute(
    `insert into schema_functions (name, hash, applied_at) values ('live.sql', 'of a later version', clock_timestamp())`,
  );
  assert.deepEqual(await pendingMigrations(em()), []);
  assert.deepEqual(await applyFunctions(em()), ['live.sql']);
  assert.deepEqual(await applyFunctions(em()), []);
});

test('an event is one entry: its trigger comes with it, and goes with it', async () => {
  const tenant = randomUUID();
  await em().execute(
    `insert into tenants (id, name, tier, created_at) values ('${tenant}', 'events', 'free', now());
     insert into webhook_subscriptions (id, tenant_id, url, event_types, secret, encryption_key_id, created_at, updated_at)
     values ('${randomUUID()}', '${tenant}', 'https://example.com', '{*}', '', '', now(), now())`,
  );
  const exportRows = (count: number) =>
    `insert into exports (id, tenant_id, kind, format, spec, status, created_at)
     select gen_random_uuid(), '${tenant}', 'files', 'csv', '{}', 'pending', now() from generate_series(1, ${count})`;
  const requested = { table: 'exports', fires: 'insert', condition: 'true' } as const;
  await em().execute(webhookTriggers({ ...WEBHOOK_EVENTS, 'export.requested': { after: [requested] } }));
  await em().execute(exportRows(2));
  const written = await namesOf('select type as name from webhook_events');
  assert.deepEqual(written, ['export.requested', 'export.requested']);
  await em().execute(webhookTriggers());
  await em().execute(exportRows(1));
  assert.equal((await namesOf('select type as name from webhook_events')).length, 2);
});
