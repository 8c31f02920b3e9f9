import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { test } from 'node:test';
import { removeAbandonedObjects } from '../../../services/uploads/claimed-objects.ts';
import { eventually } from '../../support/api.ts';
import { demoImage } from '../../support/images.ts';
import { own } from './stack.ts';

/** Uploads whose client or API is gone. */
const { stack, orm, objects } = own;
const { client, apiKey, tenantId } = await own.newTenant();

test('all leftovers of an API killed during an upload are removed later', async () => {
  const left = { em: orm.em.fork(), objects };
  const later = () => new Date(Date.now() + 3 * 3_600_000);
  // Leftovers of the kills in other tests.
  await removeAbandonedObjects(left, later());
  const { socket } = await send(90);
  socket.on('error', () => undefined);
  await eventually(async () => assert.notDeepEqual(await strays(), []));
  await stack.kill('api');
  await stack.start('api');
  assert.equal(await removeAbandonedObjects(left), 0, 'an upload that may still be in progress was removed');
  assert.equal(await removeAbandonedObjects(left, later()), 1);
  assert.deepEqual(await strays(), []);
});

test('an API that is stopped gracefully completes a running upload', async () => {
  const { socket, rest } = await send(50);
  const stopped = stack.kill('api', 'SIGTERM');
  await eventually(async () => assert.rejects(fetch(`${client.origin}/healthz`)));
  const answer = once(socket, 'data') as Promise<[Buffer]>;
  socket.write(rest);
  const [text] = await answer;
  socket.destroy();
  assert.match(text.toString(), /^HTTP\/1\.1 201 /);
  const { file_id: id } = JSON.parse(/\{.*\}/s.exec(text.toString())?.[0] ?? '{}') as { file_id: string };
  await stopped;
  await eventually(async () => assert.equal(stack.pid('api'), undefined));
  await stack.start('api');
  await client.settled(id);
});

test('uploads above the memory limit of their account are rejected before their body is read', async () => {
  const held = await Promise.all([hold(), hold()]);
  await eventually(async () => assert.equal(await heldMemory(), 2 * 10 * 1024 * 1024));
  const refused = await client.upload({ bytes: demoImage('coffee.jpg') });
  assert.deepEqual([refused.status, refused.body.code], [429, 'UPLOAD_BACKPRESSURE']);
  assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/);
  for (const socket of held) socket.destroy();
  await eventually(async () =>
    assert.equal((await client.upload({ bytes: demoImage('coffee.jpg') })).status, 201),
  );
});

for (const percent of [0, 1, 50, 99]) {
  test(`a client that disconnects at ${percent} % leaves nothing behind`, async () => {
    const [files, gone] = [await fileIds(), await vanished()];
    await vanish(percent);
    await eventually(async () => assert.equal(await vanished(), gone + 1));
    await eventually(async () => assert.deepEqual(await strays(), []));
    assert.deepEqual(await fileIds(), files);
  });
}

async function fileIds(): Promise<string[]> {
  const { body } = await client.get('/files?limit=100');
  return body.items.map(({ id }: { id: string }) => id);
}

/** Objects without a file, and parts without an object. */
async function strays(): Promise<string[]> {
  const known = await fileIds();
  const found: string[] = [];
  for await (const { key } of objects.list(`tenants/${tenantId}/`)) {
    if (!known.some((id) => key.includes(`/files/${id}/`))) found.push(key);
  }
  for await (const { key } of objects.listIncompleteUploads(`tenants/${tenantId}/`))
    found.push(`parts of ${key}`);
  return found;
}

/** The API's counter of aborted uploads. */
async function vanished(): Promise<number> {
  const { body } = await client.get(`${client.origin}/metrics`);
  const line = /^darkroom_http_request_seconds_count\{.*upload.*status="499".*\} (\d+)$/m;
  return Number(line.exec(body as string)?.[1] ?? 0);
}

/** Sends this percentage of a 12 MB upload and disconnects. */
async function vanish(percent: number): Promise<void> {
  (await send(percent)).socket.destroy();
}

async function heldMemory(): Promise<number> {
  const { body } = await client.get(`${client.origin}/metrics`);
  return Number(/^darkroom_upload_memory_bytes (\d+)$/m.exec(body as string)?.[1]);
}

/** Starts an upload that then stalls. */
const hold = async () => (await send(1)).socket;

async function send(percent: number): Promise<{ socket: net.Socket; rest: Buffer }> {
  const { hostname, port } = new URL(stack.runInfo.api_url);
  const body = Buffer.concat([
    Buffer.from('--x\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\n\r\n'),
    demoImage('rocket.jpg'),
    Buffer.alloc(12_000_000),
    Buffer.from('\r\n--x--\r\n'),
  ]);
  const head = `POST /api/v2/files/upload HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${apiKey}\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: ${body.length}\r\n\r\n`;
  const socket = net.connect(Number(port), hostname);
  const cut = Math.floor((body.length * percent) / 100);
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.write(head);
    socket.write(body.subarray(0, cut), () => resolve());
  });
  return { socket, rest: body.subarray(cut) };
}
