import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { s3Config } from '../../../adapters/object-store/config.ts';
import {
  ObjectStoreFull,
  ObjectStoreUnavailable,
  type ObjectStore,
} from '../../../adapters/object-store/object-store.ts';
import { createS3ObjectStore } from '../../../adapters/object-store/s3-object-store.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { collect } from '../../support/collect.ts';
import { objectStoreContract } from '../../support/object-store-contract.ts';

const config = readConfig([s3Config], process.env);
const contentType = 'image/png';

describe('S3 object store', () => {
  objectStoreContract(() => createS3ObjectStore(config));

  it('signs downloads for the public endpoint', async () => {
    const store = createS3ObjectStore({ ...config, S3_PUBLIC_ENDPOINT: 'https://media.example.com' });
    const url = new URL(await store.presignGet('a/b', { expiresInSeconds: 60 }));
    assert.equal(url.origin, 'https://media.example.com');
    assert.equal(url.pathname, `/${config.S3_BUCKET}/a/b`);
  });

  it('is not ready without its bucket, and unavailable with a rejected key', async () => {
    const elsewhere = createS3ObjectStore({ ...config, S3_BUCKET: 'no-such-bucket-here' });
    await assert.rejects(elsewhere.ready(), ObjectStoreUnavailable);
    const stranger = createS3ObjectStore({ ...config, S3_SECRET_ACCESS_KEY: 'wrong' });
    await assert.rejects(stranger.ready(), ObjectStoreUnavailable);
    await assert.rejects(stranger.put('x', Buffer.from('x'), { contentType }), /SignatureDoesNotMatch/);
    await assert.rejects(collect(stranger.list('x')), ObjectStoreUnavailable);
  });
});

describe('failures of the S3 object store', () => {
  it('are unavailable, with the cause, when nothing listens', async () => {
    const store = createS3ObjectStore({ ...config, S3_ENDPOINT: 'http://127.0.0.1:1' });
    const refused = (error: unknown) => {
      assert.ok(error instanceof ObjectStoreUnavailable);
      assert.match(String(error.cause), /ECONNREFUSED/);
      return true;
    };
    const upload = { key: 'x', uploadId: 'y' };
    await assert.rejects(store.ensureBucket(), refused);
    await assert.rejects(store.ready(), refused);
    await assert.rejects(store.put('x', Buffer.from('x'), { contentType }), refused);
    await assert.rejects(store.read('x', { maxBytes: 1 }), refused);
    await assert.rejects(store.stat('x'), refused);
    await assert.rejects(store.remove(['x']), refused);
    await assert.rejects(collect(store.list('x')), refused);
    await assert.rejects(collect(store.listIncompleteUploads('x')), refused);
    await assert.rejects(store.initiateMultipart('x', { contentType }), refused);
    await assert.rejects(store.completeMultipart(upload, []), refused);
    await assert.rejects(store.abortMultipart(upload), refused);
  });

  it('are retried if temporary, with the same bytes', async () => {
    const bodies: string[] = [];
    await using server = await fakeStore((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        bodies.push(Buffer.concat(chunks).toString());
        response.writeHead(bodies.length < 3 ? 503 : 200).end();
      });
    });
    await server.store.put('x', Buffer.from('bytes'), { contentType });
    assert.deepEqual(bodies, ['bytes', 'bytes', 'bytes']);
  });

  it('are final after three attempts', async () => {
    let attempts = 0;
    await using server = await fakeStore((_request, response) => {
      attempts += 1;
      response.writeHead(500).end('<Error><Code>InternalError</Code></Error>');
    });
    await assert.rejects(server.store.put('x', Buffer.from('x'), { contentType }), /InternalError/);
    assert.equal(attempts, 3);
  });

  for (const [status, code] of [
    [507, 'XMinioStorageFull'],
    [507, ''],
    [403, 'QuotaExceeded'],
  ] as const) {
    it(`name a store that is full: ${status} ${code}`, async () => {
      await using server = await fakeStore((_request, response) => {
        response.writeHead(status).end(`<Error><Code>${code}</Code></Error>`);
      });
      await assert.rejects(server.store.put('x', Buffer.from('x'), { contentType }), ObjectStoreFull);
    });
  }

  it('include a store that accepts a request and never responds', async () => {
    await using server = await fakeStore(() => undefined);
    await assert.rejects(server.store.ready(), ObjectStoreUnavailable);
  });

  it('include a truncated download, which is not returned as a short object', async () => {
    await using server = await fakeStore((_request, response) => {
      response.writeHead(200, { 'content-length': 1000 });
      response.write('only this', () => response.destroy());
    });
    await assert.rejects(server.store.read('x', { maxBytes: 1000 }), ObjectStoreUnavailable);
  });
});

/** A store with scripted responses. */
async function fakeStore(
  answer: RequestListener,
): Promise<{ store: ObjectStore; [Symbol.asyncDispose]: () => Promise<void> }> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    store: createS3ObjectStore({ ...config, S3_ENDPOINT: `http://127.0.0.1:${port}` }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
