import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { Darkroom, type ConnectionError } from '../../../sdk/src/index.ts';
import { sha256, Sha256 } from '../../../sdk/src/sha256.ts';
import { startFakeApi, type Seen } from './tiny-api.ts';

const MIB = 1024 * 1024;
const hashOf = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex');
const skips = ({ body }: Seen) => /name="skip_duplicates"\r\n\r\n(\w+)/.exec(body)?.[1];
const accepted = { file_id: 'f', skipped: false };

test('the hash for browsers is SHA-256, however the bytes are divided', async () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(300), (bytes, cut) => {
      const hash = new Sha256();
      hash.update(bytes.subarray(0, cut));
      hash.update(bytes.subarray(cut));
      assert.equal(hash.digest('hex'), hashOf(bytes));
    }),
  );
  const long = randomBytes(MIB + 7);
  assert.equal(await sha256(new Blob([long])), hashOf(long));
});

test('an upload whose response is lost is repeated without creating a second file', async (context) => {
  const { client, seen } = await startFakeApi(context, (_seen, before) =>
    before === 0 ? (response) => response.destroy() : [201, accepted],
  );
  assert.deepEqual(await client.upload(new Blob(['a']), { filename: 'a"b.txt', tags: ['x', 'y'] }), accepted);
  assert.deepEqual(seen.map(skips), [undefined, 'true']);
  assert.match(seen[0]?.body ?? '', /name="tags"\r\n\r\nx,y\r\n[^]*filename="a%22b.txt"/);
});

test('a rate limit does not change the upload, and an upload that must create a new file is not repeated', async (context) => {
  const { client, seen } = await startFakeApi(context, (_seen, before) => {
    if (before === 0) return [429, { code: 'UPLOAD_BACKPRESSURE', detail: 'busy' }];
    return before === 1 ? [201, accepted] : (response) => response.destroy();
  });
  await client.upload(new Blob(['a']));
  assert.deepEqual(seen.map(skips), [undefined, undefined]);
  await assert.rejects(client.upload(new Blob(['a']), { skip_duplicates: false }), {
    code: 'CONNECTION_LOST',
  });
  assert.equal(seen.length, 3);
});

test('a long stream is spooled to a temporary file and sent again, and leaves nothing behind', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-spool-'));
  context.after(() => rm(folder, { recursive: true, force: true }));
  const usual = process.env['TMPDIR'];
  process.env['TMPDIR'] = folder;
  context.after(() => (usual === undefined ? delete process.env['TMPDIR'] : (process.env['TMPDIR'] = usual)));
  let kept = 0;
  const { client, seen } = await startFakeApi(context, async ({ path }, before) => {
    kept = (await readdir(folder)).length;
    if (path.endsWith('/batch')) return [201, { immediate_results: [accepted], rejections: [] }];
    return before === 0 ? [503, { code: 'OUT', detail: 'out' }] : [201, accepted];
  });
  async function* chunks(most: number) {
    for (let chunk = 0; chunk < most; chunk += 1) yield Buffer.alloc(MIB, 'x');
    if (most > 9) throw new Error('torn');
  }
  assert.deepEqual(await client.upload(chunks(9), { filename: 'x.txt' }), accepted);
  assert.equal(kept, 1);
  assert.ok(seen.length === 2 && seen.every(({ body }) => body.length > 9 * MIB));
  assert.deepEqual(await readdir(folder), []);
  for await (const { error } of client.uploadMany([chunks(9)])) assert.equal(error, undefined);
  await assert.rejects(client.upload(chunks(10)), { message: 'torn' });
  assert.deepEqual(await readdir(folder), []);
});

test('reading a source stops with the signal, and a URL that breaks off is a lost connection', async (context) => {
  const { client, url } = await startFakeApi(context, () => (response) => {
    response.writeHead(200, { 'content-length': '10' });
    response.write('some', () => response.destroy());
  });
  await assert.rejects(client.upload(`${url}/a.png`), { code: 'CONNECTION_LOST' });
  const stop = new AbortController();
  const waiting = client.upload(new ReadableStream<Uint8Array>(), { signal: stop.signal });
  const reason = new Error('enough');
  stop.abort(reason);
  await assert.rejects(waiting, reason);
});

/** An API with an object store that drops the first PUT of part 2 and at first does not report part 3. */
function lossyStore() {
  const parts = new Map<number, string>();
  const puts: number[] = [];
  const confirmed = new Set<number>();
  return {
    parts,
    puts,
    answer(
      { method, path, body }: Seen,
      _before: number,
      url: string,
    ): [number, unknown?, Record<string, string>?] {
      const part = Number(/\/part\/(\d)/.exec(path)?.[1]);
      if (method === 'PUT') {
        puts.push(part);
        if (part === 2 && puts.filter((number) => number === 2).length === 1) return [500, {}];
        parts.set(part, body);
        return [200, undefined, { etag: `"${part}"` }];
      }
      if (path.endsWith('/parts/retry')) {
        const { part_number: number } = JSON.parse(body) as { part_number: number };
        return [200, { url: `${url}/part/${number}?again` }];
      }
      if (path.endsWith('/parts/confirm')) {
        const { part_number: number } = JSON.parse(body) as { part_number: number };
        if (number !== 3 || puts.filter((each) => each === 3).length > 1) confirmed.add(number);
        return [200, {}];
      }
      if (path.endsWith('/complete')) {
        if (confirmed.size === 3) return [202, { file_id: 'f', deduplicated: false }];
        return [
          422,
          { code: 'PARTS_MISSING', detail: 'part 3', errors: [{ pointer: '/parts/3', message: 'no' }] },
        ];
      }
      if (method === 'GET') return [200, { status: 'COMPLETED', file_id: 'f' }];
      const urls = [1, 2, 3].map((number) => ({ part_number: number, url: `${url}/part/${number}` }));
      return [
        201,
        { upload_id: 'u', upload_mode: 'multipart', part_urls: urls, part_size_bytes: 2, total_parts: 3 },
      ];
    },
  };
}

test('only lost parts are sent again', async (context) => {
  const store = lossyStore();
  const { client, seen } = await startFakeApi(context, (...request) => store.answer(...request));
  const progress: number[] = [];
  const uploaded = await client.upload(new Blob(['abcde']), {
    filename: 'a.png',
    directOverBytes: 0,
    onProgress: ({ sentBytes }) => progress.push(sentBytes),
  });
  assert.deepEqual(uploaded, { file_id: 'f', skipped: false });
  assert.deepEqual([...store.parts].toSorted(), [
    [1, 'ab'],
    [2, 'cd'],
    [3, 'e'],
  ]);
  assert.deepEqual(store.puts.toSorted(), [1, 2, 2, 3, 3]);
  assert.equal(progress.at(-1), 5);
  const [created] = seen;
  assert.equal(JSON.parse(created?.body ?? '').claimed_file_hash, hashOf('abcde'));
  assert.match(String(created?.headers['idempotency-key']), /-1$/);
  assert.ok(seen.every(({ method, headers }) => method !== 'PUT' || headers.authorization === undefined));
});

test('an interrupted program finds its upload again and sends the missing parts', async (context) => {
  const store = lossyStore();
  const keys: unknown[] = [];
  const { client } = await startFakeApi(context, (seen, before, url) => {
    if (!seen.path.endsWith('/direct-uploads')) {
      if (seen.method === 'GET' && store.puts.length === 0) {
        // By their ETags, the store has these bytes; the confirmation of the second part was lost.
        const parts = ['ab', 'cd'].map((bytes, index) => {
          const etag = createHash('md5').update(bytes).digest('hex');
          return { part_number: index + 1, state: index ? 'stored' : 'confirmed', etag };
        });
        parts.push({ part_number: 3, state: 'confirmed', etag: createHash('md5').update('x').digest('hex') });
        return [200, { status: 'PENDING', file_id: null, parts, has_more_parts: false }];
      }
      return store.answer(seen, before, url);
    }
    keys.push(seen.headers['idempotency-key']);
    const [status, body] = store.answer(seen, before, url);
    return [status, body, { 'idempotency-replayed': 'true' }];
  });
  const options = { filename: 'a.png', directOverBytes: 0, skip_duplicates: true } as const;
  await client.api.POST('/files/direct-uploads/{upload_id}/parts/confirm', {
    params: { path: { upload_id: 'u' } },
    body: { part_number: 1, etag: 'a', size_bytes: 2 },
  });
  await client.upload(new Blob(['abcde']), options);
  assert.ok(!store.puts.includes(1) && !store.puts.includes(2), store.puts.join());
  await client.upload(new Blob(['abcde']), options);
  assert.equal(new Set(keys).size, 1);
});

test('a direct upload that is refused or ends without a file is not restarted', async (context) => {
  const direct = { filename: 'a.png', directOverBytes: 0, skip_duplicates: true } as const;
  const refused = await startFakeApi(context, () => [404, { code: 'NOT_FOUND', detail: 'no such folder' }]);
  await assert.rejects(refused.client.upload(new Blob(['a']), { ...direct, folder_id: 'none' }), {
    code: 'NOT_FOUND',
  });
  assert.equal(refused.seen.length, 1);

  for (const code of ['UPLOAD_FAILED', 'HASH_MISMATCH']) {
    let puts = 0;
    const { client, seen } = await startFakeApi(context, ({ method, path }, _before, url) => {
      if (method === 'PUT') return [200, void (puts += 1)];
      if (path.endsWith('/complete')) return [409, { code, detail: 'ended' }];
      return [
        201,
        { upload_id: 'u', upload_mode: 'single_shot', presigned_url: `${url}/store`, headers: {} },
      ];
    });
    await assert.rejects(client.upload(new Blob(['a']), direct), { code });
    assert.deepEqual([puts, seen.length], [1, 3], code);
  }
});

test('a new upload starts if an older one has ended without a file', async (context) => {
  const { client, seen } = await startFakeApi(context, ({ method, path, headers }, _before, url) => {
    if (method === 'PUT') return [200];
    if (path.endsWith('/complete')) return [202, { file_id: 'f', deduplicated: false }];
    const isOld = String(headers['idempotency-key']).endsWith('-1');
    if (method === 'GET')
      return [200, path.includes('/old?') ? { status: 'FAILED' } : { status: 'COMPLETED', file_id: 'f' }];
    return [
      201,
      {
        upload_id: isOld ? 'old' : 'new',
        upload_mode: 'single_shot',
        presigned_url: `${url}/store`,
        headers: {},
      },
      isOld ? { 'idempotency-replayed': 'true' } : {},
    ];
  });
  const options = { filename: 'a.png', directOverBytes: 0, skip_duplicates: true };
  assert.deepEqual(await client.upload(new Blob(['a']), options), accepted);
  assert.equal(seen.filter(({ path }) => path.endsWith('/direct-uploads')).length, 2);
});

test('files of a batch that are temporarily refused are sent again after a pause', async (context) => {
  const refusal = { code: 'BUSY', reason: 'busy', retryable: true };
  const both = { session_id: 's', immediate_results: [], rejections: [] };
  const { client, seen } = await startFakeApi(context, (_seen, before) => [
    201,
    before === 0
      ? { ...both, immediate_results: [accepted], rejections: [{ index: 1, ...refusal }] }
      : { ...both, rejections: [{ index: 0, ...refusal }] },
  ]);
  const pauses: number[] = [];
  const codes: unknown[] = [];
  const files = [new File(['a'], 'a.txt'), new File(['b'], 'b.txt')];
  const onRetry = (_error: unknown, pause: number) => void pauses.push(pause);
  for await (const { error } of client.uploadMany(files, { retries: 1, onRetry }))
    codes.push((error as { code?: string } | undefined)?.code);
  assert.deepEqual(codes, [undefined, 'BUSY']);
  assert.equal(seen.length, 2);
  assert.ok(pauses.length === 1 && pauses.every((pause) => pause >= 250));
  assert.ok(!seen[1]?.body.includes('a.txt'));
});

test('the client waits for the verification of a direct upload, but only for a limited time', async (context) => {
  const { client } = await startFakeApi(context, ({ method, path }, _before, url) => {
    if (method === 'PUT') return [200];
    if (path.endsWith('/complete')) return [202, { file_id: 'f', deduplicated: false }];
    if (method === 'GET') return [200, { status: 'UPLOADED', file_id: 'f' }];
    return [
      201,
      { upload_id: 'u-1', upload_mode: 'single_shot', presigned_url: `${url}/store`, headers: {} },
    ];
  });
  const options = { filename: 'a.png', directOverBytes: 0 };
  const waiting = client.upload(new Blob(['a']), { ...options, verificationMs: 600 });
  await assert.rejects(waiting, { code: 'STILL_VERIFYING', message: /u-1/ });
  const ids: string[] = [];
  const unverified = { ...options, verified: false, onUpload: (id: string) => void ids.push(id) };
  assert.deepEqual(await client.upload(new Blob(['a']), unverified), accepted);
  assert.deepEqual(ids, ['u-1']);
});

test('a stalled upload is sent again', async (context) => {
  const api = await startFakeApi(context, () => [201, accepted]);
  // Accepts what fits into its buffers and never responds.
  const silent = createTcpServer((socket) => void socket.pause().on('error', () => undefined));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  context.after(() => silent.close());
  const { port } = silent.address() as AddressInfo;
  const errors: ConnectionError[] = [];
  let requests = 0;
  // Only for the first attempt is the time short: the second may wait for a busy machine.
  const timeoutMs = 99_999;
  const usual = globalThis.setTimeout;
  context.mock.method(globalThis, 'setTimeout', (run: () => void, ms?: number) =>
    usual(run, ms === timeoutMs && errors.length === 0 ? 500 : ms),
  );
  const client = new Darkroom({
    baseUrl: `${api.url}/api/v2`,
    timeoutMs,
    onRetry: (error) => void errors.push(error as ConnectionError),
    fetch(request, init) {
      requests += 1;
      if (requests > 1) return fetch(request, init);
      return fetch(new Request(`http://127.0.0.1:${port}/`, request), init);
    },
  });
  assert.deepEqual(await client.upload(new Blob([Buffer.alloc(16 * MIB)])), accepted);
  assert.equal(errors[0]?.code, 'TIMEOUT');
});

test('a video, detected by its bytes or its name, is uploaded directly to the object store, alone and in a batch', async (context) => {
  const { client, seen } = await startFakeApi(context, ({ path }) =>
    path.endsWith('/direct-uploads')
      ? [422, { code: 'VALIDATION_FAILED', detail: 'no' }]
      : [201, { ...accepted, immediate_results: [accepted], rejections: [] }],
  );
  const types: unknown[] = [];
  const mp4 = new Blob(['\0\0\0\x20ftypisom____', 'x'.repeat(20)]);
  const mov = new Blob(['\0\0\0\x20ftypqt  ____']);
  for (const [blob, filename] of [
    [mp4, 'a'],
    [mov, 'b.bin'],
    [new Blob(['x']), 'c.mkv'],
  ] as const) {
    await assert.rejects(client.upload(blob, { filename }), { code: 'VALIDATION_FAILED' });
    types.push((JSON.parse(seen.at(-1)?.body ?? '{}') as { content_type?: string }).content_type);
  }
  assert.deepEqual(types, ['video/mp4', 'video/quicktime', 'video/x-matroska']);
  const ends = [];
  for await (const { uploaded, error } of client.uploadMany([new Blob(['a']), mp4]))
    ends.push(uploaded ?? error);
  assert.ok(ends.includes(accepted) || ends.some((end) => (end as typeof accepted).file_id === 'f'));
  assert.equal(seen.filter(({ path }) => path.endsWith('/direct-uploads')).length, 4);
});
