import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Client, Connection } from '@temporalio/client';
import { Client as MinioClient } from 'minio';
import { createOrm } from '../../../db/create-orm.ts';
import { devConfig } from '../../../dev/config.ts';
import { startDisposableStack } from '../../../dev/launcher/disposable-stack.ts';
import { identifyProcess } from '../../../dev/processes/process-identity.ts';
import { type Stack, startStack } from '../../../dev/launcher/stack.ts';
import { findBinary } from '../../../dev/servers/binaries.ts';
import { SEARCH_ATTRIBUTES } from '../../../temporal/contract/search-attributes.ts';

const SERVERS = ['postgres', 'temporal', 's3'] as const;
const DISPOSABLE = new URL('../../../dev/launcher/disposable-stack.ts', import.meta.url).href;

describe('the servers of a stack', () => {
  let stack: Stack;
  before(async () => {
    stack = await startDisposableStack(process.env, { apps: false });
    await writeData(stack);
  });
  after(() => stack.stop({ keepData: false }));

  test('Temporal knows the search attributes and keeps histories for 30 days', async () => {
    await withTemporal(stack, async ({ connection }) => {
      const namespace = 'default';
      const { config } = await connection.workflowService.describeNamespace({ namespace });
      assert.equal(Number(config?.workflowExecutionRetentionTtl?.seconds), 30 * 86_400);
      const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
      const names = Object.values(SEARCH_ATTRIBUTES).map(({ name }) => name);
      assert.deepEqual(Object.keys(customAttributes).toSorted(), names.toSorted());
    });
  });

  test('S3 rejects unsigned requests', async () => {
    const answer = await fetch(`${stack.env.S3_ENDPOINT}/${stack.env.S3_BUCKET}?list-type=2`);
    assert.equal(answer.status, 403);
  });

  test('other users cannot list the folder of a stack', () => assertPrivate(stack));

  test('a second launcher on the same home is refused and names the running one', async () => {
    await assert.rejects(startDisposableStack(process.env, { apps: false, home: stack.home }), {
      message: new RegExp(
        `^Already running in ${stack.home} \\(pid ${process.pid}\\); see .*run\\.json, or set DARKROOM_HOME`,
      ),
    });
  });

  for (const name of SERVERS) {
    test(`${name} has its data on its former port after a kill and a restart`, async () => {
      const before = stack.pid(name);
      await stack.kill(name);
      assert.equal(stack.pid(name), undefined);
      await stack.start(name);
      assert.notEqual(stack.pid(name), before);
      await assertData(stack);
    });
  }

  test('the data survives a stop and a start', async () => {
    await stack.stop();
    // The permissions that earlier versions set.
    chmodSync(stack.home, 0o755);
    stack = await startDisposableStack(process.env, { apps: false, home: stack.home });
    await assertData(stack);
    assertPrivate(stack);
  });
});

test('a start stops the servers that a killed launcher left running, also behind shims, and keeps the data', async () => {
  const home = mkdtempSync(join(tmpdir(), 'darkroom-'));
  const shims = await makeShims();
  const launcher = spawn(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      `const { startDisposableStack } = await import(${JSON.stringify(DISPOSABLE)});
       const stack = await startDisposableStack(process.env, { apps: false, home: ${JSON.stringify(home)} });
       process.send({ env: stack.env, pids: ${JSON.stringify(SERVERS)}.map((name) => stack.pid(name)) });
       setInterval(() => {}, 60_000);`,
    ],
    {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: { ...process.env, PATH: `${shims}:${process.env['PATH']}` },
    },
  );
  const [first] = (await once(launcher, 'message')) as [{ env: Stack['env']; pids: number[] }];
  await writeData(first);
  launcher.kill('SIGKILL');
  await once(launcher, 'exit');
  assert.deepEqual(
    first.pids.map(identifyProcess).filter((identity) => identity === undefined),
    [],
  );

  const notices: string[] = [];
  const onNotice = (line: string) => notices.push(line);
  const stack = await startDisposableStack(process.env, { apps: false, home, onNotice });
  try {
    assert.match(notices.join('\n'), /^Stopped processes left running by an earlier start: /);
    for (const name of SERVERS) assert.ok(notices[0]?.includes(name), name);
    assert.deepEqual(
      first.pids.map(identifyProcess).filter((identity) => identity !== undefined),
      [],
    );
    await assertData(stack);
  } finally {
    await stack.stop({ keepData: false });
  }
  assert.equal(existsSync(home), false);
});

test('a port in use is reported in one line with its setting, and nothing is left running', async () => {
  const home = mkdtempSync(join(tmpdir(), 'darkroom-'));
  const squatter = createServer().listen(0, '127.0.0.1');
  await once(squatter, 'listening');
  const { port } = squatter.address() as AddressInfo;
  const config = devConfig.parse({
    DARKROOM_HOME: home,
    PORT: 0,
    POSTGRES_PORT: 0,
    TEMPORAL_PORT: port,
    TEMPORAL_UI_PORT: 0,
    S3_PORT: 0,
  });
  try {
    await assert.rejects(startStack({ config, env: process.env, apps: false }), {
      name: 'StackError',
      message: `Port already in use: TEMPORAL_PORT=${port}. Stop the other program, or set it to another port (0 for any free one).`,
    });
    assert.equal(existsSync(join(home, 'launcher.json')), false);
  } finally {
    squatter.close();
    rmSync(home, { recursive: true, force: true });
  }
});

test('a home that cannot be created is reported in one line with its setting', async () => {
  const config = devConfig.parse({ DARKROOM_HOME: '/dev/null/darkroom' });
  await assert.rejects(startStack({ config, env: process.env }), {
    name: 'StackError',
    message: /^Cannot use \/dev\/null\/darkroom .*: set DARKROOM_HOME to a folder you can write to\.$/,
  });
});

/** A folder with commands that exec the servers after a delay, as the shims of version managers do. */
async function makeShims(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'darkroom-shims-'));
  after(() => rmSync(folder, { recursive: true }));
  for (const name of ['temporal', 'weed'] as const) {
    const program = await findBinary(name, { env: process.env, signal: new AbortController().signal });
    const script = `#!/bin/sh\nsleep 0.2\nexec '${program}' "$@"\n`;
    writeFileSync(join(folder, name), script, { mode: 0o755 });
  }
  return folder;
}

/** As root, the group of the user that runs Postgres may enter the folder, since its data is inside. */
function assertPrivate({ home }: Stack): void {
  const entering = process.getuid?.() === 0 ? 0o010 : 0;
  assert.equal(statSync(home).mode & 0o077, entering);
}

/** Writes a row, a workflow and an object. */
async function writeData({ env }: Pick<Stack, 'env'>): Promise<void> {
  await query(env, 'create table kept (word text)');
  await query(env, "insert into kept values ('kept')");
  await withTemporal({ env }, async ({ client }) => {
    await client.workflow.start('anything', {
      taskQueue: 'nobody',
      workflowId: 'kept',
      typedSearchAttributes: [{ key: SEARCH_ATTRIBUTES.tenantId, value: 'a-tenant' }],
    });
  });
  await objects(env).putObject(env.S3_BUCKET ?? '', 'kept', 'kept');
}

/** Checks with each server's own client that the data of writeData exists. */
async function assertData({ env }: Pick<Stack, 'env'>): Promise<void> {
  assert.deepEqual(await query(env, 'select word from kept'), [{ word: 'kept' }]);
  await withTemporal({ env }, async ({ client }) => {
    const { status, typedSearchAttributes } = await client.workflow.getHandle('kept').describe();
    assert.equal(status.name, 'RUNNING');
    assert.equal(typedSearchAttributes.get(SEARCH_ATTRIBUTES.tenantId), 'a-tenant');
  });
  const { size } = await objects(env).statObject(env.S3_BUCKET ?? '', 'kept');
  assert.equal(size, 4);
}

async function query(env: Stack['env'], sql: string): Promise<unknown[]> {
  const orm = createOrm({ DATABASE_URL: env.DATABASE_URL ?? '', DATABASE_POOL_SIZE: 1 });
  try {
    return await orm.em.getConnection().execute(sql);
  } finally {
    await orm.close();
  }
}

async function withTemporal(
  { env }: Pick<Stack, 'env'>,
  use: (temporal: { connection: Connection; client: Client }) => Promise<void>,
): Promise<void> {
  const connection = await Connection.connect({ address: env.TEMPORAL_ADDRESS ?? '' });
  try {
    await use({ connection, client: new Client({ connection }) });
  } finally {
    await connection.close();
  }
}

function objects(env: Stack['env']): MinioClient {
  const { hostname, port } = new URL(env.S3_ENDPOINT ?? '');
  return new MinioClient({
    endPoint: hostname,
    port: Number(port),
    useSSL: false,
    region: env.S3_REGION ?? '',
    accessKey: env.S3_ACCESS_KEY_ID ?? '',
    secretKey: env.S3_SECRET_ACCESS_KEY ?? '',
  });
}
