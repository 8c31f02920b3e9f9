import assert from 'node:assert/strict';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { identifyProcess } from '../../../dev/processes/process-identity.ts';
import { openLedger } from '../../../dev/processes/process-ledger.ts';
import type { ProcessPlan } from '../../../dev/processes/program.ts';
import { type ProcessTable, createProcessTable } from '../../../dev/processes/process-table.ts';
import { planTemporal } from '../../../dev/servers/temporal.ts';
import { createSupervisor } from '../../../dev/launcher/supervisor.ts';
import { eventually } from '../../support/api.ts';

let folder: string;
let life: AbortController;
let table: ProcessTable;
let notices: string[];
let fatal: PromiseWithResolvers<string>;
let revived: PromiseWithResolvers<void>;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'darkroom-'));
  life = new AbortController();
  notices = [];
  fatal = Promise.withResolvers();
  revived = Promise.withResolvers();
  const watch = createSupervisor({
    start: async (plan) => {
      await table.start(plan);
      revived.resolve();
    },
    notice: (line) => notices.push(line),
    fatal: fatal.resolve,
    signal: life.signal,
  });
  table = createProcessTable({
    ledger: openLedger(join(folder, 'ledger')),
    signal: life.signal,
    onDeath: watch,
  });
});

afterEach(async () => {
  life.abort();
  await table.idle();
  await Promise.all([table.stop('api'), table.stop('s3')]);
  rmSync(folder, { recursive: true });
});

test('an app that dies is restarted', async () => {
  await table.start(await planServer('api', 'app'));
  const { api: first } = table.pids();
  await table.kill('api', 'SIGKILL');
  await revived.promise;
  assert.notEqual(table.pids().api, first);
  assert.match(notices[0] ?? '', /^Thing stopped \(SIGKILL\); restarting in 0\.5 s\.$/);
});

test('a server that dies is fatal, and the message names its log', async () => {
  const plan = await planServer('s3', 'server');
  await table.start(plan);
  await table.kill('s3', 'SIGKILL');
  const line = await fatal.promise;
  assert.ok(line.includes(plan.logFile), line);
});

test('a process that is stopped on purpose is neither restarted nor reported', async () => {
  await table.start(await planServer('api', 'app'));
  const { api: pid = 0 } = table.pids();
  await table.stop('api');
  assert.equal(identifyProcess(pid), undefined);
  assert.deepEqual(notices, []);
});

test('a process that ignores its stop signal is killed after the timeout, with its children', async () => {
  const childFile = join(folder, 'child');
  const script = `
    process.on('SIGTERM', () => {});
    const child = require('node:child_process').spawn('sleep', ['60'], { stdio: 'ignore' });
    require('node:fs').writeFileSync(${JSON.stringify(childFile)}, String(child.pid));
    setInterval(() => {}, 60_000);`;
  const ready = () => Promise.resolve(existsSync(childFile));
  await table.start({ ...(await planServer('api', 'app', script)), ready, stopWithinMs: 100 });
  const child = Number(readFileSync(childFile, 'utf8'));
  const { api: pid = 0 } = table.pids();
  await table.stop('api');
  assert.equal(identifyProcess(pid), undefined);
  // Killed at the same time, but not a child of this process, so its exit has to be polled.
  await eventually(async () => assert.equal(identifyProcess(child), undefined));
});

test('a process that exits before it is ready is reported in one line', async () => {
  const plan = await planServer('api', 'app', "throw new Error('DATABASE_URL is missing');");
  await assert.rejects(table.start(plan), {
    name: 'StackError',
    message: `Thing stopped while starting (exit code 1): Error: DATABASE_URL is missing (see ${plan.logFile})`,
  });
});

test('a server is not started on data that another process uses, which the message names', async () => {
  const data = join(folder, 'temporal');
  mkdirSync(data);
  const held = openSync(join(data, 'temporal.db'), 'a');
  try {
    const plan = planTemporal({
      binary: '/bin/false',
      folder: data,
      ports: { grpc: 1, ui: 1, http: 1, metrics: 1 },
      env: {},
      logFile: join(folder, 'temporal.log'),
    });
    await assert.rejects(table.start(plan), {
      name: 'StackError',
      message: new RegExp(
        `^Process ${process.pid} uses ${data} \\(.*node.*\\): end it, then start again\\.$`,
      ),
    });
  } finally {
    closeSync(held);
  }
});

/** A plan that runs a script, by default a server on a free port. */
async function planServer(
  name: ProcessPlan['name'],
  kind: ProcessPlan['kind'],
  script?: string,
): Promise<ProcessPlan> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  const serve = `require('node:http').createServer((_, answer) => answer.end()).listen(${port}, '127.0.0.1');`;
  return {
    name,
    kind,
    title: 'Thing',
    command: process.execPath,
    args: ['--eval', script ?? serve],
    env: {},
    cwd: folder,
    logFile: join(folder, `${name}.log`),
    ready: async () => (await fetch(`http://127.0.0.1:${port}`)).ok,
    readyWithinMs: 10_000,
    stopSignal: 'SIGTERM',
    stopWithinMs: 5_000,
  };
}
