import assert from 'node:assert/strict';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import Koa from 'koa';
import { sniffContentType } from '../../../engines/content-sniffer/content-sniffer.ts';
import { s3Config } from '../../../adapters/object-store/config.ts';
import { createS3ObjectStore } from '../../../adapters/object-store/s3-object-store.ts';
import { stateOf } from '../../../api/http/state.ts';
import { watchBody } from '../../../api/http/watch-body.ts';
import { ONE_FILE, readParts } from '../../../api/multipart/read-parts.ts';
import { AppError } from '../../../domain/app-error.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { createPartBuffers } from '../../../services/uploads/streaming/part-buffers.ts';
import {
  createUploadSink,
  fillSink,
  type StoredUpload,
  type UploadSink,
} from '../../../services/uploads/streaming/upload-sink.ts';
import { collect } from '../../support/collect.ts';

const MB = 1024 * 1024;
const MAX_BYTES = 20 * MB;
/** Short enough for its own test; no other test sends as slowly. */
const pace = { bytesPerSecond: 1000, overSeconds: 2 };
const rules = { files: ONE_FILE };
const objects = createS3ObjectStore(readConfig([s3Config], process.env));
const buffers = createPartBuffers(4);
const prefix = `http/${randomUUID()}/`;

/** The sinks that the server opened, oldest first. */
const sinks: UploadSink[] = [];
const keys: string[] = [];
let server: Server;
let url: string;

before(async () => {
  await objects.ensureBucket();
  server = createApp().listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
after(async () => {
  server.closeAllConnections();
  server.close();
  await objects.remove((await collect(objects.list(prefix))).map(({ key }) => key));
});

describe('an upload in a multipart form', () => {
  it('stores the complete file and reads the fields around it', async () => {
    const bytes = jpeg(12 * MB);
    const form = new FormData();
    form.set('title', 'before');
    form.set('file', new Blob([bytes]), 'a.jpg');
    form.set('tags', 'after');
    const response = await fetch(url, { method: 'POST', body: form });
    assert.equal(response.status, 200);
    assert.deepEqual(await response.json(), {
      fields: { title: 'before', tags: 'after' },
      sizeBytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    });
    await objects.remove(keys.splice(-1));
    await assertNothingLeft();
  });

  for (const [what, bytes, code] of [
    ['an empty file', Buffer.alloc(0), 'EMPTY_FILE'],
    ['a file of another type', Buffer.from('text '.repeat(2 * MB)), 'UNSUPPORTED_MEDIA'],
    ['a file over the limit', jpeg(MAX_BYTES + 1), 'FILE_TOO_LARGE'],
  ] as const) {
    it(`rejects ${what} with the reason, and stores nothing`, async () => {
      const form = new FormData();
      form.set('file', new Blob([bytes]), 'a.jpg');
      const response = await fetch(url, { method: 'POST', body: form });
      assert.deepEqual(await response.json(), { code });
      await assertNothingLeft();
    });
  }

  it('recognises a file part by its file name, without a content type', async () => {
    const bytes = jpeg(6 * MB);
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
      body: Buffer.concat([
        Buffer.from('--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'),
        bytes,
        Buffer.from('\r\n--b--\r\n'),
      ]),
    });
    assert.equal(((await response.json()) as { sizeBytes: number }).sizeBytes, bytes.length);
    await objects.remove(keys.splice(-1));
  });

  it('recognises a part named "file" as the file, even without a file name', async () => {
    const bytes = jpeg(MB);
    const response = await post([part('file'), bytes, END]);
    assert.equal(((await response.json()) as { sizeBytes: number }).sizeBytes, bytes.length);
    await objects.remove(keys.splice(-1));
  });

  it('rejects fields whose total length is too long', async () => {
    const long = `${'x'.repeat(100_000)}\r\n`;
    const file = [part('file', 'a'), jpeg(1000), END];
    const response = await post([part('title'), long, part('shoe'), long, part('tags'), long, ...file]);
    assert.deepEqual(await response.json(), { code: 'BAD_REQUEST' });
    const bearable = await post([part('title'), long, part('shoe'), long, ...file]);
    assert.equal(((await bearable.json()) as { sizeBytes: number }).sizeBytes, 1000);
    await objects.remove(keys.splice(-1));
    await assertNothingLeft();
  });

  it('rejects a part without a name', async () => {
    const nameless = '--b\r\nContent-Disposition: form-data; title="a"\r\n\r\nvalue\r\n';
    const response = await post([nameless, part('file', 'a'), jpeg(1000), END]);
    assert.deepEqual(await response.json(), { code: 'BAD_REQUEST' });
    await assertNothingLeft();
  });

  for (const type of ['multipart/form-dataX; boundary=b', 'multipart/form-data-x;boundary=b', 'text/plain']) {
    it(`rejects a body of type ${type}`, async () => {
      const response = await post([part('file', 'a'), jpeg(1000), END], type);
      assert.deepEqual(await response.json(), { code: 'BAD_REQUEST' });
    });
  }

  it('rejects a form that never reaches its first part', async () => {
    const client = request(url, {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
    });
    client.on('error', () => undefined);
    const answers: IncomingMessage[] = [];
    client.once('response', (response) => answers.push(response));
    while (answers.length === 0) await new Promise((resolve) => client.write(Buffer.alloc(MB, 'x'), resolve));
    const body = (await answers[0]?.toArray())?.join('') ?? '';
    assert.deepEqual(JSON.parse(body), { code: 'FILE_TOO_LARGE' });
    client.destroy();
  });

  it('aborts an upload that is too slow, and stores nothing', async () => {
    const client = request(url, {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=b', 'content-length': 10 * MB },
    });
    client.on('error', () => undefined);
    client.write(part('file', 'a'));
    client.write(jpeg(6 * MB));
    const drip = setInterval(() => client.write('x'), 100);
    const [response] = (await once(client, 'response')) as [IncomingMessage];
    clearInterval(drip);
    assert.deepEqual(JSON.parse((await response.toArray()).join('')), { code: 'UPLOAD_TOO_SLOW' });
    client.destroy();
    await assertNothingLeft();
  });

  for (const [what, pattern] of [
    ['carriage returns', '\r'],
    ['false starts of the boundary', '\r\n--'],
  ] as const) {
    it(`is not slowed down by a file of ${what}`, async () => {
      const bytes = Buffer.alloc(8 * MB, pattern);
      bytes.write('ffd8ffe0', 'hex');
      const form = new FormData();
      form.set('file', new Blob([bytes]), 'a.jpg');
      const response = await fetch(url, { method: 'POST', body: form, signal: AbortSignal.timeout(60_000) });
      const { sha256 } = (await response.json()) as { sha256: string };
      assert.equal(sha256, createHash('sha256').update(bytes).digest('hex'));
      await objects.remove(keys.splice(-1));
    });
  }

  for (const percent of [0, 1, 50, 99]) {
    it(`stores nothing of a client that disconnects after ${percent} % of its file`, async () => {
      const bytes = jpeg(12 * MB);
      const opened = sinks.length;
      const head =
        '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\nContent-Type: image/jpeg\r\n\r\n';
      const client = request(url, {
        method: 'POST',
        headers: { 'content-type': 'multipart/form-data; boundary=b', 'content-length': bytes.length + 1000 },
      });
      client.on('error', () => undefined);
      client.write(head);
      // Called once the kernel has the bytes. Its buffers are small, so the server has read the rest.
      await new Promise((resolve) =>
        client.write(bytes.subarray(0, (bytes.length * percent) / 100), resolve),
      );
      // An empty file opens no sink.
      await until(() => percent === 0 || sinks.length > opened);
      client.destroy();
      for (const sink of sinks.slice(opened)) {
        await assert.rejects(
          sink.result,
          (error) => error instanceof AppError && error.code === 'CLIENT_GONE',
        );
      }
      await assertNothingLeft();
    });
  }
});

const END = '\r\n--b--\r\n';

function part(name: string, filename?: string): string {
  const file = filename === undefined ? '' : `; filename="${filename}"`;
  return `--b\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`;
}

function post(body: (string | Buffer)[], type = 'multipart/form-data; boundary=b'): Promise<Response> {
  const headers = { 'content-type': type };
  return fetch(url, {
    method: 'POST',
    headers,
    body: Buffer.concat(body.map((piece) => Buffer.from(piece))),
  });
}

function createApp(): Koa {
  const app = new Koa();
  app.silent = true;
  app.use(watchBody(pace));
  app.use(async (ctx) => {
    const fields: Record<string, string> = {};
    let stored: StoredUpload | undefined;
    try {
      for await (const part of readParts(ctx.req, { ...rules, signal: stateOf(ctx).bodyTooSlow })) {
        if (part.type === 'field') fields[part.name] = part.value;
        else stored = await fillSink(openSink(), part.stream);
      }
      ctx.body = { fields, sizeBytes: stored?.sizeBytes, sha256: stored?.sha256 };
    } catch (error) {
      ctx.body = { code: error instanceof AppError ? error.code : String(error) };
    }
  });
  return app;
}

function openSink(): UploadSink {
  const key = `${prefix}${randomUUID()}`;
  const sink = createUploadSink({
    objects,
    buffers,
    detect: sniffContentType,
    key,
    maxBytes: MAX_BYTES,
    onLeftover: (error) => assert.fail(String(error)),
  });
  sinks.push(sink);
  keys.push(key);
  return sink;
}

async function assertNothingLeft(): Promise<void> {
  assert.deepEqual(await collect(objects.list(prefix)), []);
  assert.deepEqual(await collect(objects.listIncompleteUploads(prefix)), []);
}

/** A JPEG signature followed by noise. */
function jpeg(size: number): Buffer {
  const bytes = randomBytes(size);
  bytes.write('ffd8ffe0', 'hex');
  return bytes;
}

async function until(holds: () => boolean): Promise<void> {
  const end = Date.now() + 60_000;
  while (!holds()) {
    assert.ok(Date.now() < end, 'the condition did not become true in time');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
