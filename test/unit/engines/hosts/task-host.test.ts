import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { startProcess } from '../../../../engines/hosts/host.ts';
import { createTaskHost } from '../../../../engines/hosts/task-host.ts';

const folder = await mkdtemp(join(tmpdir(), 'darkroom-'));
after(() => rm(folder, { recursive: true }));
const file = join(folder, 'module.mjs');
await writeFile(
  file,
  `import { getPriority } from 'node:os';
   export function handle({ cpuMs }) {
     const begin = process.cpuUsage();
     const used = () => { const { user, system } = process.cpuUsage(begin); return (user + system) / 1000; };
     return new Promise((resolve) => {
       const work = () => {
         if (used() > cpuMs) return resolve(getPriority());
         for (const until = Math.min(cpuMs, used() + 50) + 1; used() < until; );
         setImmediate(work);
       };
       work();
     });
   }`,
);
const start = () =>
  createTaskHost<{ cpuMs: number }, number>(
    startProcess({ module: pathToFileURL(file), stderr: 'inherit' }),
    {
      maxTasks: 100,
      idleBytes: Infinity,
    },
  );
const child = start();
after(() => child.kill());
const { signal } = new AbortController();
const run = (cpuMs: number) => child.run({ cpuMs }, { cpuMs: 60_000 }, signal);

test('a short task keeps its priority', async () => {
  assert.equal(await run(100), 0);
  assert.equal(child.hasLowPriority(), false);
});

test(
  'a long task gets the lowest priority',
  { skip: process.platform !== 'linux' && 'only Linux lists threads' },
  async () => {
    assert.equal(await run(2_600), 10);
    assert.deepEqual([child.hasLowPriority(), child.isFit()], [true, true]);
  },
);

test('a task over its budget ends its host with a reason', async () => {
  const host = start();
  await assert.rejects(host.run({ cpuMs: 60_000 }, { cpuMs: 60_000, wallMs: 300 }, signal), {
    name: 'HostEnded',
    why: 'time',
  });
  assert.equal(host.isFit(), false);
});

test('an aborted task rejects with the reason, and a killed process counts as a crash', async () => {
  const stop = new AbortController();
  const host = start();
  const running = host.run({ cpuMs: 60_000 }, { cpuMs: 60_000 }, stop.signal);
  stop.abort(new Error('cancelled'));
  await assert.rejects(running, /cancelled/);
  await assert.rejects(host.run({ cpuMs: 1 }, { cpuMs: 60_000 }, signal), {
    why: 'crash',
    signal: 'SIGKILL',
  });
});
