import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test, type TestContext } from 'node:test';
import { FfmpegMissing } from '../../../engines/video-reader/errors.ts';
import { createFindFfmpeg } from '../../../engines/video-reader/find-ffmpeg.ts';
import { serveRanges, type ByteSource } from '../../../engines/video-reader/range-server.ts';

const bytes = randomBytes(5 * 2 ** 20);
const source: ByteSource = {
  sizeBytes: bytes.length,
  read: ({ first, last }) => Promise.resolve(bytes.subarray(first, last + 1)),
};

async function serve(context: TestContext, given = source, limits = {}) {
  const server = await serveRanges(given, limits);
  context.after(() => server.close());
  const get = async (range?: string, url = server.url) => {
    const response = await fetch(url, range === undefined ? {} : { headers: { range } });
    return {
      status: response.status,
      range: response.headers.get('content-range'),
      bytes: await response.bytes(),
    };
  };
  return { server, get };
}

test('requested ranges are returned in pieces of the source', async (context) => {
  const { get } = await serve(context);
  const middle = await get('bytes=100-3000099');
  assert.deepEqual([middle.status, middle.range], [206, `bytes 100-3000099/${bytes.length}`]);
  assert.ok(bytes.subarray(100, 3_000_100).equals(middle.bytes));
  assert.ok(bytes.equals((await get('bytes=0-')).bytes));
  assert.equal((await get(`bytes=${bytes.length - 10}-${bytes.length + 999}`)).bytes.length, 10);
});

test('an invalid range and any other path are refused', async (context) => {
  const { get, server } = await serve(context);
  assert.equal((await get(`bytes=${bytes.length}-`)).status, 416);
  assert.equal((await get('bytes=5-2')).status, 416);
  assert.equal((await get('bytes=0-9', `${server.url}x`)).status, 404);
  assert.equal(server.failure(), undefined);
});

test('a failure of the source aborts the response and is stored', async (context) => {
  const away = new Error('the store is away');
  const { get, server } = await serve(context, { ...source, read: () => Promise.reject(away) });
  await assert.rejects(get('bytes=0-'));
  assert.equal(server.failure(), away);
});

test('the delivered bytes are limited', async (context) => {
  const tooMany = new Error('too many');
  const { get, server } = await serve(context, source, { maxBytes: 3_000_000, tooMany });
  assert.equal((await get('bytes=0-999')).status, 206);
  await assert.rejects(get('bytes=0-'));
  assert.equal(server.failure(), tooMany);
});

test('a path without a program is reported as such, and no other program is downloaded', async () => {
  const find = createFindFfmpeg({ FFMPEG_PATH: '/nowhere/ffmpeg' });
  await assert.rejects(find(AbortSignal.timeout(60_000)), FfmpegMissing);
});
