import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

const HOST = new URL('../../../../engines/hosts/host.ts', import.meta.url).href;
const folder = mkdtempSync(join(tmpdir(), 'darkroom-'));
after(() => rmSync(folder, { recursive: true }));

/** Has nothing else to do, so that Node ends it with exit code 13 where nothing keeps it alive. */
const program = (start: string) => `
  import { startProcess, startThread } from ${JSON.stringify(HOST)};
  const module = new URL('data:text/javascript,export const handle = (message) => message');
  const host = ${start};
  const { promise: replied, resolve } = Promise.withResolvers();
  host.onMessage(resolve);
  host.setBusy(true);
  host.post({});
  await replied;
  const ended = host.kill();
  // As a caller does with the last reply.
  host.setBusy(false);
  await ended;`;

for (const start of [`startProcess({ module, stderr: 'inherit' })`, 'startThread({ module })']) {
  test(`the end of a host whose last reply comes after the kill is awaited: ${start}`, () => {
    const file = join(folder, 'program.mjs');
    writeFileSync(file, program(start));
    const { status, stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8', timeout: 60_000 });
    assert.equal(status, 0, stderr);
  });
}
