import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const COMMAND = fileURLToPath(new URL('../../cli/chaos/main.ts', import.meta.url));

test('forty files through three kills: none lost, none doubled, all ended, and the audit holds', async (t) => {
  const args = [COMMAND, '--files', '40', '--kills', '3', '--seed', '5'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], signal: t.signal });
  const ended = once(child, 'close');
  const [output, progress] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await ended;
  assert.equal(code, 0, `${progress}\n${output}`);
  assert.match(
    output,
    /^chaos survived: 40 of 40 files acknowledged, 3 kills, 0 lost, 0 duplicated, 0 not completed, audit holds/m,
  );
});
