import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { PROJECT_ROOT } from '../../dev/project-root.ts';
import { testCommand } from './smoke.ts';
import { ALONE, ELSEWHERE, ON_A_STACK } from './table.ts';

const home = mkdtempSync(join(tmpdir(), 'darkroom-commands-'));
after(() => rmSync(home, { recursive: true, force: true }));
const free = { PORT: '0', POSTGRES_PORT: '0', TEMPORAL_PORT: '0', TEMPORAL_UI_PORT: '0', S3_PORT: '0' };

for (const [name, smoke] of Object.entries(ALONE)) {
  testCommand(name, smoke, () => ({ DARKROOM_HOME: home, ...free }));
}

test('every command in the table of CONTRIBUTING.md is called by a test or by a caller listed in table.ts', () => {
  const page = readFileSync(join(PROJECT_ROOT, 'CONTRIBUTING.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `npm run ([\w:]+)/gm)].map(([, name = '']) => name);
  assert.ok(rows.length > 10, rows.join());
  const called = Object.keys({ ...ALONE, ...ON_A_STACK, ...ELSEWHERE });
  assert.deepEqual(
    rows.filter((name) => !called.includes(name)),
    [],
  );
});
