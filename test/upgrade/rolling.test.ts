import assert from 'node:assert/strict';
import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { startDisposableStack } from '../../dev/launcher/disposable-stack.ts';
import { readTenants } from '../../dev/launcher/home.ts';
import { APPS, type AppName } from '../../dev/launcher/start-apps.ts';
import type { Stack } from '../../dev/launcher/stack.ts';
import { tail } from '../../dev/processes/program.ts';
import { PROJECT_ROOT } from '../../dev/project-root.ts';
import { Darkroom } from '../../sdk/src/index.ts';
import { createClient, eventually, type RunInfo } from '../support/api.ts';
import { freePort } from '../support/free-port.ts';
import { runProject } from '../support/run-program.ts';
import { checkOut, resolveCommit } from './checkout.ts';
import { checkUploads } from './check-uploads.ts';
import { startCaddy } from './start-caddy.ts';
import { describeReads, startReads } from '../support/steady-reads.ts';
import { startUploads } from '../support/steady-uploads.ts';

/**
 * Two replicas of the API behind the proxy and each worker, of an earlier commit (`UPGRADE_FROM`, as in upgrade.test.ts), are
 * exchanged for this code one by one, while clients upload and read: each new process is ready before the old one is
 * told to stop.
 */
const WORKERS = ['worker-cpu', 'worker-ocr', 'worker'] as const;
const FILES_UNDER_LOAD = 15;
const READY_WITHIN_S = 300;
const WITHIN_S = 600;

/** Each commit has its own workflows. */
const bundleOf = (folder: string) => join(folder, 'dist', 'workflow-bundle.js');

interface App {
  /** Resolves once it has drained. */
  stop: () => Promise<void>;
}

describe('an exchange of processes one by one', { timeout: 3_600_000 }, () => {
  let former: string;
  let stack: Stack;
  let run: Pick<RunInfo, 'api_url' | 'api_key'>;
  let ports: Record<'former' | 'next', number[]>;
  const running = new Map<string, App>();
  const ends: (() => Promise<unknown>)[] = [];

  const startApp = async (folder: string, name: AppName, port: number): Promise<App> => {
    const log = join(stack.home, `${name}-${port}.log`);
    const child = spawn(process.execPath, APPS[name].args, {
      cwd: folder,
      env: {
        ...process.env,
        ...stack.env,
        WORKFLOW_BUNDLE: bundleOf(folder),
        [name === 'api' ? 'PORT' : 'WORKER_HEALTH_PORT']: String(port),
      },
      stdio: ['ignore', openSync(log, 'w'), 'inherit'],
    });
    const ended = once(child, 'exit');
    const ask = async () => {
      const { ok } = await fetch(`http://127.0.0.1:${port}/readyz`);
      assert.ok(ok);
    };
    await eventually(ask, READY_WITHIN_S, async () => tail(log, 1000)).catch((error: unknown) => {
      child.kill('SIGKILL');
      throw error;
    });
    return {
      async stop() {
        child.kill('SIGTERM');
        assert.deepEqual(await ended, [0, null], tail(log, 1000));
      },
    };
  };
  const exchange = async (name: AppName, key: string, port: number) => {
    const next = await startApp(PROJECT_ROOT, name, port);
    const old = running.get(key);
    running.set(key, next);
    await old?.stop();
  };

  before(async () => {
    former = await checkOut(await resolveCommit(process.env['UPGRADE_FROM']));
    // Before the exchange, which they would slow down.
    for (const folder of [former, PROJECT_ROOT]) {
      const built = await runProject('worker/build-workflows.ts', ['--out', bundleOf(folder)], {}, folder);
      assert.equal(built.code, 0, built.output);
    }
    stack = await startDisposableStack(process.env, { apps: false });
    ends.push(() => stack.stop({ keepData: false }));
    ends.push(() => Promise.allSettled(Array.from(running.values(), (app) => app.stop())));
    const credentials = join(stack.home, 'credentials.json');
    const seed = ['seed', '--migrate', '--credentials', credentials, '--unlimited-requests'];
    const seeded = await runProject('cli/admin/main.ts', seed, stack.env, former);
    assert.equal(seeded.code, 0, seeded.output);
    const two = async () => [await freePort(), await freePort()];
    ports = { former: await two(), next: await two() };
    for (const name of WORKERS) running.set(name, await startApp(former, name, await freePort()));
    for (const [at, port] of ports.former.entries())
      running.set(`api-${at}`, await startApp(former, 'api', port));
    const proxy = await startCaddy(stack.home, [...ports.former, ...ports.next]);
    ends.push(proxy.stop);
    run = {
      api_url: `${proxy.origin}/api/v2`,
      api_key: readTenants(credentials).enterprise.api_key,
    };
  });
  after(async () => {
    for (const end of ends.toReversed()) await end();
  });

  test('loses no upload, and prints how long it was not answered', async () => {
    const darkroom = new Darkroom({ baseUrl: run.api_url, apiKey: run.api_key });
    const uploads = startUploads(darkroom);
    const reads = startReads(run);
    const more = async () => {
      const enough = uploads.met.acknowledged.size + FILES_UNDER_LOAD;
      await eventually(async () => assert.ok(uploads.met.acknowledged.size >= enough), WITHIN_S);
    };
    try {
      await more();
      const migrated = await runProject('db/migrate.ts', [], stack.env);
      assert.equal(migrated.code, 0, migrated.output);
      // Workers first, as the runbook says.
      for (const name of WORKERS) await exchange(name, name, await freePort());
      for (const [at, port] of ports.next.entries()) await exchange('api', `api-${at}`, port);
      await more();
    } finally {
      await Promise.all([uploads.stop(), reads.stop()]);
    }
    console.log(`  … ${describeReads(reads.read)}`);
    const api = { darkroom, client: createClient(run) };
    // The audit reads the metrics of one replica.
    const env = { ...stack.env, PORT: String(ports.next[0]) };
    await checkUploads(uploads.met, api, { env, folder: stack.home, withinS: WITHIN_S });
  });
});
