import assert from 'node:assert/strict';
import { after, before, describe, test, type TestContext } from 'node:test';
import type { Finding } from '../../../cli/doctor/run-checks.ts';
import { databaseConfig, directDatabase } from '../../../db/config.ts';
import { createOrm, SESSION_TIMEOUTS } from '../../../db/create-orm.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { createChannelChanges } from '../../../services/shared/channel-changes.ts';
import { createClient, eventually, sharedRun } from '../../support/api.ts';
import { findPgBouncer } from '../../support/pgbouncer.ts';
import { images } from '../../support/images.ts';
import { startReplica } from '../../support/replica.ts';
import { runProject } from '../../support/run-program.ts';

const { env } = process;

describe('Postgres behind a pooler in transaction mode', () => {
  const start = findPgBouncer();
  const skip = start ? false : 'pgbouncer is not on PATH';
  let pooled = '';
  let stop = () => Promise.resolve();
  before(async () => {
    if (!start) return;
    const pooler = await start(env['DATABASE_URL'] ?? '');
    stop = () => pooler.stop();
    pooled = pooler.url;
  });
  after(() => stop());
  const settings = () => ({ DATABASE_URL: pooled, DATABASE_DIRECT_URL: env['DATABASE_URL'] ?? '' });

  test('the doctor detects it and names the missing setting', { skip }, async () => {
    const { code, output } = await runProject('cli/doctor/main.ts', ['--json', '--within', '120'], {
      DATABASE_URL: pooled,
    });
    assert.equal(code, 1);
    const finding = (JSON.parse(output) as { findings: Finding[] }).findings.find(
      ({ check }) => check === 'pooler',
    );
    assert.equal(finding?.outcome, 'failed');
    assert.match(finding.remedy ?? '', /DATABASE_DIRECT_URL/);
    await assert.rejects(
      createOrm(readConfig([databaseConfig], { DATABASE_URL: pooled }))
        .em.fork()
        .execute('select 1'),
      /startup parameter/,
    );
  });

  test('migrations bypass it and set the time limits of its connections', { skip }, async (t) => {
    const { code, output } = await runProject('db/migrate.ts', [], settings());
    assert.equal(code, 0, output);
    assert.match(output, /time limits of the role/);
    resetRoleAfter(t);
    // The existing server connections of the pooler keep their former limits.
    const fresh = await start?.(env['DATABASE_URL'] ?? '');
    assert.ok(fresh);
    const orm = createOrm(readConfig([databaseConfig], { ...settings(), DATABASE_URL: fresh.url }));
    try {
      const [row] = await orm.em
        .fork()
        .execute<{ ms: string }[]>("select setting as ms from pg_settings where name = 'statement_timeout'");
      assert.equal(Number(row?.ms), SESSION_TIMEOUTS.statement_timeout);
    } finally {
      await orm.close(true);
      await fresh.stop();
    }
  });

  test('notifications arrive on a direct connection', { skip }, async () => {
    const config = readConfig([databaseConfig], settings());
    const [orm, listening] = [createOrm(config), createOrm(directDatabase(config))];
    const changes = createChannelChanges(listening, (error) => assert.fail(String(error)));
    try {
      let calls = 0;
      changes.subscribe('of-this-test', () => (calls += 1));
      // The first call reports that the listener is connected.
      await eventually(async () => assert.equal(calls, 1));
      await orm.em.fork().execute("select pg_notify('live_channels', 'of-this-test')");
      await eventually(async () => assert.equal(calls, 2));
    } finally {
      changes.close();
      await listening.close(true);
      await orm.close(true);
    }
  });

  test('an API behind it processes a batch, reports its end, and searches', { skip }, async () => {
    const replica = await startReplica(settings());
    try {
      const client = createClient({ ...sharedRun(), api_url: replica.url });
      const { status, body } = await client.batch(await images(6), { auto_describe: 'false' });
      assert.ok(status < 300, JSON.stringify(body));
      await eventually(async () => {
        const session = (await client.get(`/files/sessions/${body.session_id}/status`)).body;
        assert.equal(session.completed_files, 6, JSON.stringify(session));
      }, 60);
      const lists = await Promise.all(
        Array.from({ length: 20 }, () => client.get('/files?search=image&limit=5')),
      );
      assert.ok(lists.every((answer) => answer.status === 200));
    } finally {
      await replica.stop();
    }
  });
});

/** The shared database belongs to other tests as well. */
function resetRoleAfter(t: TestContext): void {
  t.after(async () => {
    const orm = createOrm(readConfig([databaseConfig], env));
    for (const name of Object.keys(SESSION_TIMEOUTS)) {
      await orm.em.fork().execute(`alter role current_user in database darkroom reset ${name}`);
    }
    await orm.close(true);
  });
}
