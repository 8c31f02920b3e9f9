import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  appendFileSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { databaseConfig } from '../../db/config.ts';
import { createOrm } from '../../db/create-orm.ts';
import { startDisposableStack } from '../../dev/launcher/disposable-stack.ts';
import type { Stack } from '../../dev/launcher/stack.ts';
import { readConfig } from '../../domain/schemas/read-config.ts';
import { createClient, eventually } from '../support/api.ts';
import { demoImage } from '../support/images.ts';
import { replies, startModelServer } from '../support/model-server.ts';
import { runProject } from '../support/run-program.ts';

/** The steps of "Backups" in docs/runbook.md, with the commands of Postgres that its package for Node lacks written out. */

const model = await startModelServer();
after(() => model.stop());
const env = { ...process.env, OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'test-key' };
const copies = mkdtempSync(join(tmpdir(), 'darkroom-copies-'));
after(() => rmSync(copies, { recursive: true, force: true }));

type Execute = (sql: string) => Promise<Record<string, string>>;

/** Executes statements in one session of Postgres; each returns its first row. */
async function inPostgres<R>(stack: Stack, use: (execute: Execute) => Promise<R>): Promise<R> {
  const orm = createOrm(readConfig([databaseConfig], stack.env));
  try {
    const connection = orm.em.getConnection();
    return await connection.transactional((transaction) =>
      use(
        async (sql) =>
          ((await connection.execute(sql, [], 'all', transaction))[0] ?? {}) as Record<string, string>,
      ),
    );
  } finally {
    await orm.close(true);
  }
}

/** Files that a server removes meanwhile are none that its backup needs. */
const copyFolder = (from: string, to: string) =>
  promisify(execFile)('cp', ['-a', from, to]).catch((error: Error & { stderr: string }) => {
    if (!/^(cp: cannot \w+ '.*': No such file or directory\n)+$/.test(error.stderr)) throw error;
  });

async function admin(stack: Stack, ...args: string[]): Promise<string> {
  const { code, output } = await runProject('cli/admin/main.ts', args, stack.env);
  assert.equal(code, 0, output);
  return output;
}

const markdown = (word: string) => ({
  bytes: Buffer.from(`# ${word}\n\nThe ${word} is kept in the ${word} house.\n`),
  filename: `${word}.md`,
});

test('a stack that is lost is restored to an earlier moment, and its unfinished work ends', async (t) => {
  const stack = await startDisposableStack(env);
  t.after(() => stack.stop({ keepData: false }));
  const { home } = stack;
  let client = createClient(stack.runInfo);
  const stored = async (word: string) => {
    const id = await client.ingest({ ...markdown(word), fields: { auto_describe: 'false' } });
    assert.equal((await client.settled(id)).primary_status, 'completed');
    return id;
  };

  const { data_directory: data = '' } = await inPostgres(stack, (execute) => execute('show data_directory'));
  const [archive, base] = [`${data}.archive`, `${data}.base`];
  const owner = statSync(data);
  const give = (path: string) => chownSync(path, owner.uid, owner.gid);
  mkdirSync(archive);
  give(archive);
  const settings = [
    'archive_mode = on',
    `archive_command = 'test ! -f ${archive}/%f.gz && gzip -c %p > ${archive}/%f.part && mv ${archive}/%f.part ${archive}/%f.gz'`,
  ];
  appendFileSync(join(data, 'postgresql.auto.conf'), `${settings.join('\n')}\n`);
  await stack.restart('postgres');

  const before = await eventually(() => stored('anchor'));
  await inPostgres(stack, async (execute) => {
    await execute(`select pg_backup_start('base', fast => true)`);
    await copyFolder(data, base);
    const { labelfile = '' } = await execute('select labelfile from pg_backup_stop()');
    writeFileSync(join(base, 'backup_label'), labelfile);
    give(join(base, 'backup_label'));
  });
  rmSync(join(base, 'postmaster.pid'));

  const later = await stored('rudder');
  model.otherwise(replies.error(503));
  const unfinished = await client.ingest({ bytes: demoImage('rocket.jpg') });
  await eventually(async () => assert.ok(model.requests.length > 0));
  await admin(stack, 'copy-objects', copies);
  const { moment } = await inPostgres(stack, (execute) =>
    execute('select clock_timestamp()::text as moment'),
  );

  const tooLate = await stored('sextant');
  assert.equal((await client.delete(`/files/${before}`)).status, 200);
  const { segment = '' } = await inPostgres(stack, (execute) =>
    execute('select pg_walfile_name(pg_switch_wal()) as segment'),
  );
  await eventually(async () => assert.ok(readdirSync(archive).includes(`${segment}.gz`)));

  for (const name of ['api', 'worker', 'worker-cpu', 'worker-ocr', 'temporal', 's3', 'postgres'] as const) {
    await stack.kill(name);
  }
  await stack.stop();
  // What is kept are the settings and secrets, which are files.
  for (const entry of readdirSync(home, { withFileTypes: true })) {
    const path = join(home, entry.name);
    if (entry.isDirectory() && path !== dirname(data)) rmSync(path, { recursive: true });
  }
  rmSync(data, { recursive: true });

  await copyFolder(base, data);
  const recovery = [
    `restore_command = 'gunzip -c ${archive}/%f.gz > %p'`,
    `recovery_target_time = '${moment}'`,
    `recovery_target_action = 'promote'`,
  ];
  appendFileSync(join(data, 'postgresql.auto.conf'), `${recovery.join('\n')}\n`);
  writeFileSync(join(data, 'recovery.signal'), '');
  give(join(data, 'recovery.signal'));
  const servers = await startDisposableStack(env, { home, apps: false });
  try {
    assert.match(
      await admin(servers, 'restore-objects', copies),
      /^Restored \d+ objects; 0 of .* have no row, 0 /m,
    );
  } finally {
    await servers.stop();
  }

  model.otherwise(replies.ok());
  const restored = await startDisposableStack(env, { home });
  try {
    client = createClient(restored.runInfo);
    for (const id of [before, later, unfinished]) {
      assert.equal((await client.settled(id, 120)).primary_status, 'completed');
    }
    assert.equal((await client.get(`/files/${tooLate}`)).status, 404);

    assert.match(await admin(restored, 'rebuild-index', '--wait'), /^Index of images: \d+ done\.$/m);
    assert.match(await admin(restored, 'rebuild-chunks', '--wait'), /^Index of chunks: [1-9]\d* done\.$/m);
    await eventually(async () => {
      const { body } = await client.post('/files/search', { query: 'rudder' });
      assert.equal(body.items[0]?.document_id, later);
      assert.equal(body.ranked_by, 'meaning_and_words');
    });
    await eventually(async () => {
      const { output } = await runProject('cli/audit/main.ts', [], restored.env);
      assert.match(output, /^All invariants hold\.$/m);
    });
  } finally {
    await restored.stop({ keepData: false });
    for (const folder of [archive, base]) rmSync(folder, { recursive: true, force: true });
  }
});
