import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startTaskChild, taskBudget } from '../../../adapters/task-child.ts';

const folder = await mkdtemp(join(tmpdir(), 'darkroom-'));
after(() => rm(folder, { recursive: true }));
const entry = join(folder, 'child.mjs');
await writeFile(
  entry,
  `import { getPriority } from 'node:os';
   process.on('message', ({ cpuMs }) => {
     const begin = process.cpuUsage();
     const used = () => { const { user, system } = process.cpuUsage(begin); return (user + system) / 1000; };
     const work = () => {
       if (used() > cpuMs) return process.send(getPriority());
       for (const until = Math.min(cpuMs, used() + 50) + 1; used() < until; );
       setImmediate(work);
     };
     work();
   });
   process.on('disconnect', () => process.exit());`,
);
const child = startTaskChild<{ cpuMs: number }, number>({
  entry,
  stderr: 'inherit',
  maxTasks: 100,
  idleRssBytes: Infinity,
});
after(() => child.kill());
const run = (cpuMs: number) => child.run({ cpuMs }, taskBudget(60_000), new AbortController().signal);

test('a short task keeps its priority', async () => {
  assert.equal(await run(100), 0);
  assert.equal(child.hasLowPriority(), false);
});

test(
  'a long task leaves the processors to others',
  { skip: process.platform !== 'linux' && 'only Linux lists threads' },
  async () => {
    assert.equal(await run(2_600), 10);
    assert.deepEqual([child.hasLowPriority(), child.isFit()], [true, true]);
  },
);
