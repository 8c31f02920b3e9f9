import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { startProcess } from '../../../../engines/hosts/host.ts';

const file = join(tmpdir(), `${randomUUID()}.mjs`);
after(() => rmSync(file, { force: true }));
// A module that does as it is told, on the descriptor of the channel.
writeFileSync(
  file,
  `import { writeSync } from 'node:fs';
   import { serialize } from 'node:v8';
   const frame = (body) => Buffer.concat([Buffer.from(new Uint32Array([body.length]).buffer), body]);
   export function handle({ raw, twice, echo }) {
     if (raw) writeSync(3, raw);
     if (twice) writeSync(3, Buffer.concat([frame(serialize(1)), frame(serialize(2))]));
     return raw || twice ? new Promise(() => undefined) : echo;
   }`,
);

function startChild() {
  const host = startProcess({ module: pathToFileURL(file), stderr: 'ignore' });
  host.setBusy(true);
  return host;
}

test('messages of any length and kind arrive as they were sent', async () => {
  const host = startChild();
  const echoes = [
    new Uint8Array(9_000_000).fill(7),
    'é'.repeat(70_000),
    { a: [1, undefined, null] },
    new Map([[1, 'x']]),
  ];
  for (const echo of echoes) {
    const reply = new Promise((resolve) => host.onMessage(resolve));
    host.post({ echo });
    assert.deepEqual(await reply, echo);
  }
  await host.kill();
});

const MALFORMED = {
  'no structured clone': Buffer.from([4, 0, 0, 0, 0xff, 0x0f, 0xfa, 0xfa]),
  'a message that is too long': Buffer.from([0xf0, 0xff, 0xff, 0xff, 1, 2, 3]),
};
for (const [what, raw] of Object.entries(MALFORMED))
  test(`a process that sends ${what} is ended, and this one is not`, async () => {
    const host = startChild();
    host.post({ raw });
    assert.equal((await host.ended).signal, 'SIGKILL');
  });

test('a process that sends more replies than it got messages is ended', async () => {
  const host = startChild();
  const replies: unknown[] = [];
  host.onMessage((reply) => replies.push(reply));
  host.post({ twice: true });
  assert.equal((await host.ended).signal, 'SIGKILL');
  assert.deepEqual(replies, [1]);
});

test('a value that cannot be sent is an error of the caller', async () => {
  const host = startChild();
  assert.throws(() => host.post({ echo: () => undefined }), /could not be cloned/);
  const reply = new Promise((resolve) => host.onMessage(resolve));
  host.post({ echo: 1 });
  assert.equal(await reply, 1);
  await host.kill();
});
