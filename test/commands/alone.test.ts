import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { PROJECT_ROOT } from '../../dev/project-root.ts';
import { testAlone } from './smoke.ts';
import { ALONE, ELSEWHERE, LAB, ON_A_STACK } from './table.ts';

testAlone(ALONE);

test('every command in the table of CONTRIBUTING.md is called by a test or by a caller listed in table.ts', () => {
  const page = readFileSync(join(PROJECT_ROOT, 'CONTRIBUTING.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `npm run ([\w:]+)/gm)].map(([, name = '']) => name);
  assert.ok(rows.length > 10, rows.join());
  const called = Object.keys({ ...ALONE, ...LAB, ...ON_A_STACK, ...ELSEWHERE });
  assert.deepEqual(
    rows.filter((name) => !called.includes(name)),
    [],
  );
});
