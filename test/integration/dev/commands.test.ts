import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { PROJECT_ROOT } from '../../../dev/project-root.ts';

const home = mkdtempSync(join(tmpdir(), 'darkroom-commands-'));
after(() => rmSync(home, { recursive: true, force: true }));

/** Runs a command without a running stack. */
function run(file: string, ...args: string[]) {
  const { PATH } = process.env;
  const env = { PATH, HOME: home, DARKROOM_HOME: home };
  return spawnSync(process.execPath, [join(PROJECT_ROOT, file), ...args], {
    env,
    encoding: 'utf8',
    timeout: 60_000,
  });
}

const COMMANDS = ['admin', 'audit', 'ingest', 'status'].map((name) => `cli/${name}/main.ts`);
const LAB = ['bench', 'chaos', 'save-history'].map((name) => `lab/${name}/main.ts`);
for (const file of [...COMMANDS, ...LAB]) {
  test(`${file} prints its usage`, () => {
    const { status, stdout, stderr } = run(file, '--help');
    assert.equal(status, 0, stderr);
    assert.match(stdout, /^Usage: /);
  });
}

const WITHOUT_STACK: Record<string, string[]> = {
  'cli/audit/main.ts': [],
  'cli/ingest/main.ts': [home],
  'cli/status/main.ts': ['80573c52'],
};
for (const [file, args] of Object.entries(WITHOUT_STACK)) {
  test(`${file} reports in one line that no stack is running`, () => {
    const { status, stdout, stderr } = run(file, ...args);
    assert.equal(status, 2, stderr);
    assert.equal(stdout, '');
    assert.match(stderr, /^[^\n]+\n$/);
  });
}
