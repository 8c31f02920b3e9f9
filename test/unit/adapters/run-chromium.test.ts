import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { runChromium, type ChromiumTask } from '../../../adapters/browser/run-chromium.ts';

/** A task whose program is not a browser. */
const task = (path: string): ChromiumTask => ({
  path,
  sandbox: true,
  proxyUrl: 'http://127.0.0.1:1',
  budget: { cpuMs: 5_000, wallMs: 5_000 },
  signal: new AbortController().signal,
});
const never = () => new Promise<never>(() => undefined);

test('a failed browser reports its last output, and leftovers of killed workers are removed', async () => {
  const [old, recent] = ['old', 'recent'].map((name) =>
    join(tmpdir(), `darkroom-chromium-${name}-${process.pid}`),
  );
  assert.ok(old && recent);
  for (const folder of [old, recent]) mkdirSync(folder);
  utimesSync(old, 0, 0);
  await assert.rejects(runChromium(task('/no/such/browser'), never), ({ message, cause }: Error) => {
    assert.match(message, /exit code 127/);
    assert.match(String(cause), /no\/such\/browser/);
    return true;
  });
  assert.deepEqual([existsSync(old), existsSync(recent)], [false, true]);
  utimesSync(recent, 0, 0);
  await assert.rejects(runChromium(task('/bin/true'), never), {
    name: 'ChromiumGone',
    message: /exit code 0/,
  });
  assert.equal(existsSync(recent), false);
});

test('a worker without free file descriptors reports that the browser cannot be started, and continues', () => {
  // Runs in a separate process, since the limit applies to a process.
  const script = `
    import { closeSync, openSync } from 'node:fs';
    import { runChromium } from ${JSON.stringify(import.meta.resolve('../../../adapters/browser/run-chromium.ts'))};
    const signal = new AbortController().signal;
    const task = { path: '/bin/true', sandbox: true, proxyUrl: '', budget: { cpuMs: 100, wallMs: 100 }, signal };
    const run = () => runChromium(task, () => new Promise(() => undefined)).catch(({ message }) => message);
    await run();
    const files = [];
    try { for (;;) files.push(openSync('/dev/null')); } catch { /* EMFILE, which is the state to test. */ }
    // Leaves enough for the temporary folder, but not for the pipes.
    for (const file of files.splice(-4)) closeSync(file);
    const answer = await run();
    for (const file of files) closeSync(file);
    console.log(answer);`;
  const limited = 'ulimit -n 80; exec "$@"';
  const { stdout, stderr, status } = spawnSync(
    '/bin/sh',
    ['-c', limited, 'sh', process.execPath, '--input-type=module', '-e', script],
    { encoding: 'utf8' },
  );
  assert.deepEqual([stdout, status], ['the browser cannot be started\n', 0], stderr);
});
