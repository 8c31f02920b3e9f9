import assert from 'node:assert/strict';
import {
  appendFileSync,
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { rotateLargeLogs, rotateLogs } from '../../../dev/launcher/logs.ts';
import { eventually } from '../../support/api.ts';

test('a growing log is rotated while a process has it open, and a bounded number of files is kept', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'darkroom-'));
  const log = openSync(join(folder, 'api.log'), 'a');
  t.after(() => {
    closeSync(log);
    rmSync(folder, { recursive: true });
  });
  for (let line = 1; line <= 9; line++) {
    writeSync(log, `line ${line}\n`);
    rotateLargeLogs(folder, 5);
  }
  writeSync(log, 'x\n');
  rotateLargeLogs(folder, 5);
  const content = (name: string) => readFileSync(join(folder, name), 'utf8');
  assert.deepEqual(readdirSync(folder).toSorted(), ['api.log', 'api.log.1', 'api.log.2', 'api.log.3']);
  assert.deepEqual(['api.log', 'api.log.1', 'api.log.2', 'api.log.3'].map(content), [
    'x\n',
    'line 9\n',
    'line 8\n',
    'line 7\n',
  ]);
  rotateLogs(folder);
  assert.equal(content('api.log.1'), 'x\n');
  assert.equal(content('api.log.3'), 'line 8\n');
});

test('a running stack keeps its logs bounded', async () => {
  const log = join(dirname(process.env['DARKROOM_RUN'] ?? ''), 'logs', 'temporal.log');
  appendFileSync(log, 'flood\n'.repeat(2_000_000));
  await eventually(async () => {
    assert.ok(statSync(log).size < 1_000_000);
    assert.ok(statSync(`${log}.1`).size >= 12_000_000);
  });
});
