import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { removeFoldersOfKilled } from '../../../engines/temporary-folders.ts';

const before = tmpdir();
const temporary = mkdtempSync(join(before, 'darkroom-temporary-'));
const started: ChildProcess[] = [];
after(() => {
  process.env['TMPDIR'] = before;
  for (const child of started) child.kill('SIGKILL');
  rmSync(temporary, { recursive: true, force: true });
});

/** A process with a temporary folder: that, and how to end it. */
async function start() {
  const program = `import { makeTemporaryFolder } from ${JSON.stringify(import.meta.resolve('../../../engines/temporary-folders.ts'))};
    console.log(makeTemporaryFolder('test'));
    process.stdin.on('data', () => process.exit());`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    env: { TMPDIR: temporary },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  started.push(child);
  const [path] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
  const folder = dirname(path.trim());
  assert.ok(existsSync(path.trim()));
  const exited = once(child, 'exit');
  return { folder, child, exited };
}

test('the folder of a killed process is removed, and none of a process that lives, even if that is stopped', async () => {
  const [ended, killed, stopped, living] = await Promise.all([start(), start(), start(), start()]);
  ended.child.stdin.write('end');
  killed.child.kill('SIGKILL');
  stopped.child.kill('SIGSTOP');
  await Promise.all([ended.exited, killed.exited]);
  const folders = [ended, killed, stopped, living].map(({ folder }) => folder);
  const beingMade = join(temporary, 'darkroom-process-new');
  mkdirSync(beingMade);
  assert.deepEqual(folders.map(existsSync), [false, true, true, true]);
  process.env['TMPDIR'] = temporary;
  await removeFoldersOfKilled();
  assert.deepEqual(folders.map(existsSync), [false, false, true, true]);
  assert.ok(existsSync(beingMade));
});
