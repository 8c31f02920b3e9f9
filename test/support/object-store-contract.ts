import assert from 'node:assert/strict';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { buffer } from 'node:stream/consumers';
import {
  ObjectNotFound,
  ObjectTooLarge,
  type MultipartUpload,
  type ObjectStore,
} from '../../adapters/object-store/object-store.ts';
import { collect } from './collect.ts';

const PART = 5 * 1024 * 1024;

/** The contract of every object store, as tests to run inside a suite. They use unique keys. */
export function objectStoreContract(makeStore: () => ObjectStore): void {
  const store = makeStore();
  const prefix = `contract/${randomUUID()}/`;
  const key = (name: string) => `${prefix}${name}`;
  const contentType = 'image/png';

  before(() => store.ensureBucket());
  after(async () => {
    for (const upload of await collect(store.listIncompleteUploads(prefix)))
      await store.abortMultipart(upload);
    await store.remove((await collect(store.list(prefix))).map((object) => object.key));
  });

  const incomplete = async (under: string): Promise<MultipartUpload[]> =>
    (await collect(store.listIncompleteUploads(under))).map(({ key, uploadId }) => ({ key, uploadId }));

  it('is ready, and creates its bucket only once', async () => {
    await store.ensureBucket();
    await store.ready();
  });

  describe('whole objects', () => {
    it('returns the bytes, the size and the content type', async () => {
      const bytes = randomBytes(70_000);
      await store.put(key('whole'), bytes, { contentType });
      assert.deepEqual(await store.read(key('whole'), { maxBytes: bytes.length }), bytes);
      assert.deepEqual(await buffer(await store.open(key('whole'))), bytes);
      const stat = await store.stat(key('whole'));
      assert.equal(stat?.sizeBytes, bytes.length);
      assert.equal(stat.contentType, contentType);
      assert.match(stat.etag, /^[^"]+$/);
    });

    it('stores an empty object', async () => {
      await store.put(key('empty'), Buffer.alloc(0), { contentType });
      assert.equal((await store.read(key('empty'), { maxBytes: 0 })).length, 0);
      assert.equal((await store.stat(key('empty')))?.sizeBytes, 0);
    });

    it('replaces an existing object', async () => {
      await store.put(key('replaced'), Buffer.from('old'), { contentType });
      await store.put(key('replaced'), Buffer.from('new'), { contentType: 'text/plain' });
      assert.equal((await store.read(key('replaced'), { maxBytes: 10 })).toString(), 'new');
      assert.equal((await store.stat(key('replaced')))?.contentType, 'text/plain');
    });

    it('accepts keys with all kinds of characters', async () => {
      for (const name of ['with space', 'plus+and%25', "quote'(1)*!", 'ümläut-日本', 'a=b&c;d,e@f:g$h~']) {
        await store.put(key(name), Buffer.from(name), { contentType });
        assert.equal((await store.read(key(name), { maxBytes: 100 })).toString(), name);
        await store.remove([key(name)]);
        assert.equal(await store.stat(key(name)), undefined);
      }
    });

    it('reports a missing object', async () => {
      assert.equal(await store.stat(key('nothing')), undefined);
      await assert.rejects(store.open(key('nothing')), ObjectNotFound);
      await assert.rejects(store.read(key('nothing'), { maxBytes: 1 }), ObjectNotFound);
    });

    it('rejects the read of an object over the limit of the reader', async () => {
      await store.put(key('large'), Buffer.alloc(100_001), { contentType });
      await assert.rejects(store.read(key('large'), { maxBytes: 100_000 }), ObjectTooLarge);
    });

    it('removes many objects at once, and ignores missing ones', async () => {
      const keys = ['one', 'two', 'three'].map((name) => key(`removed/${name}`));
      await Promise.all(keys.map((each) => store.put(each, Buffer.from('x'), { contentType })));
      await store.remove([...keys, key('removed/never-there')]);
      await store.remove(keys);
      await store.remove([]);
      assert.deepEqual(await collect(store.list(key('removed/'))), []);
    });
  });

  describe('listing', () => {
    it('lists exactly the objects under the prefix, in key order', async () => {
      const names = Array.from({ length: 30 }, (_, i) => key(`listed/${String(i).padStart(2, '0')}/object`));
      await Promise.all(names.map((name) => store.put(name, Buffer.from('four'), { contentType })));
      await store.put(key('listed-not'), Buffer.from('x'), { contentType });
      const listed = await collect(store.list(key('listed/')));
      assert.deepEqual(
        listed.map((object) => object.key),
        names,
      );
      assert.ok(listed.every(({ sizeBytes }) => sizeBytes === 4));
      assert.ok(listed.every(({ lastModified }) => Math.abs(Date.now() - lastModified.getTime()) < 60_000));
    });

    it('matches a prefix that ends within a name', async () => {
      await store.put(key('half/abc-1'), Buffer.from('x'), { contentType });
      await store.put(key('half/abd'), Buffer.from('x'), { contentType });
      const listed = await collect(store.list(key('half/abc')));
      assert.deepEqual(
        listed.map((object) => object.key),
        [key('half/abc-1')],
      );
    });
  });

  describe('uploads in parts', () => {
    it('assembles the parts in order, regardless of their order of arrival', async () => {
      const [first, second, last] = [randomBytes(PART), randomBytes(PART), randomBytes(7)];
      const upload = await store.initiateMultipart(key('parts'), { contentType });
      assert.equal(await store.stat(key('parts')), undefined);
      const third = await store.uploadPart(upload, 3, last);
      const others = await Promise.all([
        store.uploadPart(upload, 1, first),
        store.uploadPart(upload, 2, second),
      ]);
      await store.completeMultipart(upload, [...others, third]);
      const whole = await store.read(key('parts'), { maxBytes: 3 * PART });
      assert.ok(whole.equals(Buffer.concat([first, second, last])));
      assert.equal((await store.stat(key('parts')))?.contentType, contentType);
      assert.deepEqual(await incomplete(key('parts')), []);
    });

    it('keeps the later of two parts with the same number', async () => {
      const upload = await store.initiateMultipart(key('twice'), { contentType });
      await store.uploadPart(upload, 1, Buffer.from('wrong'));
      await store.completeMultipart(upload, [await store.uploadPart(upload, 1, Buffer.from('right'))]);
      assert.equal((await store.read(key('twice'), { maxBytes: 10 })).toString(), 'right');
    });

    it('lists an upload until it is aborted, which is idempotent', async () => {
      const upload = await store.initiateMultipart(key('aborted'), { contentType });
      await store.uploadPart(upload, 1, Buffer.from('x'));
      assert.deepEqual(await incomplete(key('aborted')), [upload]);
      const [listed] = await collect(store.listIncompleteUploads(prefix));
      assert.ok(listed && Math.abs(Date.now() - listed.initiatedAt.getTime()) < 60_000);
      await store.abortMultipart(upload);
      await store.abortMultipart(upload);
      assert.deepEqual(await incomplete(key('aborted')), []);
      assert.equal(await store.stat(key('aborted')), undefined);
    });

    it('lists two uploads of one key separately', async () => {
      const uploads = [
        await store.initiateMultipart(key('same'), { contentType }),
        await store.initiateMultipart(key('same'), { contentType }),
      ];
      const ids = (list: MultipartUpload[]) => list.map(({ uploadId }) => uploadId).toSorted();
      assert.deepEqual(ids(await incomplete(key('same'))), ids(uploads));
      for (const upload of uploads) await store.abortMultipart(upload);
    });
  });

  describe('presigned downloads', () => {
    const bytes = Buffer.from('<script>alert(1)</script>');
    before(() => store.put(key('shared +1'), bytes, { contentType: 'text/html' }));

    it('let anyone fetch the object, as an attachment by default', async () => {
      const url = await store.presignGet(key('shared +1'), { expiresInSeconds: 60 });
      const response = await fetch(url);
      assert.equal(response.status, 200);
      assert.equal(await response.text(), bytes.toString());
      assert.equal(response.headers.get('content-disposition'), 'attachment');
      assert.equal(response.headers.get('content-type'), 'text/html');
    });

    it('have the requested file name, disposition and content type', async () => {
      const url = await store.presignGet(key('shared +1'), {
        expiresInSeconds: 60,
        filename: 'naïve + plan "B" 100%.png',
        disposition: 'inline',
        contentType: 'image/png',
      });
      const { headers } = await fetch(url);
      assert.equal(
        headers.get('content-disposition'),
        `inline; filename="na_ve + plan _B_ 100_.png"; filename*=UTF-8''na%C3%AFve%20%2B%20plan%20%22B%22%20100%25.png`,
      );
      assert.equal(headers.get('content-type'), 'image/png');
    });

    for (const [what, filename] of [
      ['line breaks', 'a\r\nSet-Cookie: x=1\r\n\r\n.png'],
      ['a right-to-left override', 'photo\u202Egnp.exe'],
      ['4 KB', '長'.repeat(1400)],
      ['half a surrogate pair', 'x\uD800y.png'],
      ['nothing at all', ''],
    ] as const) {
      it(`survive a file name with ${what}`, async () => {
        const url = await store.presignGet(key('shared +1'), { expiresInSeconds: 60, filename });
        const response = await fetch(url);
        assert.equal(response.status, 200);
        assert.equal(response.headers.get('set-cookie'), null);
        assert.match(response.headers.get('content-disposition') ?? '', /^attachment; filename="[ -~]+"/);
        await response.body?.cancel();
      });
    }

    it('are rejected for another key, with any change, and after they expire', async () => {
      const url = await store.presignGet(key('shared +1'), { expiresInSeconds: 1, filename: 'a.png' });
      const refused = async (changed: string) => {
        const response = await fetch(changed);
        await response.body?.cancel();
        return response.status;
      };
      assert.equal(await refused(url.replace('shared', 'secret')), 403);
      assert.equal(await refused(url.replace('a.png', 'b.png')), 403);
      assert.equal(await refused(url.replace('attachment', 'inline')), 403);
      const end = Date.now() + 10_000;
      while ((await refused(url)) !== 403)
        assert.ok(Date.now() < end, 'a URL with an expiry of one second must expire');
    });
  });

  describe('presigned uploads', () => {
    const bytes = randomBytes(2000);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const wanted = { contentType, sizeBytes: bytes.length, sha256, expiresInSeconds: 60 };
    async function send(url: string, body: Uint8Array, headers: Record<string, string> = {}) {
      const response = await fetch(url, { method: 'PUT', headers, body: body as Uint8Array<ArrayBuffer> });
      await response.body?.cancel();
      return { status: response.status, etag: response.headers.get('etag') ?? '' };
    }

    it('let anyone store the described bytes, whose checksum the store then returns', async () => {
      const { url, headers } = await store.presignPut(key('put +1'), wanted);
      assert.equal((await send(url, bytes, headers)).status, 200);
      const stat = await store.stat(key('put +1'));
      assert.deepEqual([stat?.sizeBytes, stat?.contentType, stat?.sha256], [2000, contentType, sha256]);
    });

    it('are rejected for other bytes, another size, another type and another key', async () => {
      const { url, headers } = await store.presignPut(key('put'), wanted);
      const refused = async (to: string, body: Uint8Array, changed = {}) => {
        const { status } = await send(to, body, { ...headers, ...changed });
        assert.ok(status >= 400 && status < 500, String(status));
      };
      await refused(url, randomBytes(2000));
      await refused(url, bytes.subarray(1));
      await refused(url, bytes, { 'Content-Type': 'text/html' });
      await refused(url.replace('put', 'get'), bytes);
      const other = createHash('sha256').update('other').digest('base64');
      await refused(url, Buffer.from('other'), { 'x-amz-checksum-sha256': other });
      assert.equal(await store.stat(key('put')), undefined);
    });

    it('without a checksum accept any bytes, but only of the given size and type', async () => {
      const { url, headers } = await store.presignPut(key('put any'), { ...wanted, sha256: undefined });
      assert.deepEqual(headers, { 'Content-Type': contentType });
      for (const [body, type] of [
        [bytes.subarray(1), contentType],
        [bytes, 'text/html'],
      ] as const) {
        const { status } = await send(url, body, { 'Content-Type': type });
        assert.ok(status >= 400 && status < 500, String(status));
      }
      const other = randomBytes(2000);
      assert.equal((await send(url, other, headers)).status, 200);
      const stat = await store.stat(key('put any'));
      assert.deepEqual([stat?.sizeBytes, stat?.contentType, stat?.sha256], [2000, contentType, undefined]);
    });

    it('accept parts of their size and number, which are listed until the upload is complete', async () => {
      const upload = await store.initiateMultipart(key('presigned parts'), { contentType });
      const parts = [randomBytes(PART), randomBytes(9)] as const;
      const [first = '', last = ''] = await store.presignParts(
        upload,
        parts.map((part, index) => ({ number: index + 1, sizeBytes: part.length })),
        { expiresInSeconds: 60 },
      );
      assert.deepEqual(await store.listParts(upload), []);
      assert.equal((await send(first, randomBytes(PART - 1))).status, 403);
      const etags = [await send(first, parts[0]), await send(last, parts[1])].map(({ etag }) => etag);
      const listed = await store.listParts(upload);
      assert.deepEqual(
        listed?.map(({ number, etag, sizeBytes }) => [number, `"${etag}"`, sizeBytes]),
        [
          [1, etags[0], PART],
          [2, etags[1], 9],
        ],
      );
      await store.completeMultipart(upload, listed ?? []);
      assert.equal(await store.listParts(upload), undefined);
      assert.equal((await send(first, parts[0])).status, 404);
      assert.ok((await store.read(upload.key, { maxBytes: 2 * PART })).equals(Buffer.concat(parts)));
    });
  });

  describe('copies and leading bytes', () => {
    it('copy an object with another content type, independent of the original', async () => {
      await store.put(key('from +%'), Buffer.from('first'), { contentType });
      await store.copy(key('from +%'), key('to'), { contentType: 'image/gif' });
      await store.put(key('from +%'), Buffer.from('second'), { contentType });
      assert.equal((await store.read(key('to'), { maxBytes: 10 })).toString(), 'first');
      assert.equal((await store.stat(key('to')))?.contentType, 'image/gif');
      await assert.rejects(store.copy(key('nothing'), key('to'), { contentType }), ObjectNotFound);
    });

    it('copy ranges of an object as parts of an upload, which can be sent again', async () => {
      const bytes = randomBytes(PART + 1000);
      await store.put(key('ranges +%'), bytes, { contentType });
      const upload = await store.initiateMultipart(key('of ranges'), { contentType });
      const last = await store.copyPart(key('ranges +%'), { first: PART, last: PART + 999 }, upload, 2);
      const first = await store.copyPart(key('ranges +%'), { first: 0, last: PART - 1 }, upload, 1);
      await store.remove([key('ranges +%')]);
      assert.deepEqual(await store.listParts(upload), [
        { ...first, sizeBytes: PART },
        { ...last, sizeBytes: 1000 },
      ]);
      const other = await store.uploadPart(upload, 2, Buffer.alloc(1000));
      await store.completeMultipart(upload, [first, other]);
      const assembled = Buffer.concat([bytes.subarray(0, PART), Buffer.alloc(1000)]);
      assert.ok((await store.read(upload.key, { maxBytes: 2 * PART })).equals(assembled));
      const empty = await store.initiateMultipart(key('of nothing'), { contentType });
      const copied = store.copyPart(key('nothing'), { first: 0, last: 9 }, empty, 1);
      await assert.rejects(copied, ObjectNotFound);
    });

    it('read the first bytes of an object, or all of a shorter one', async () => {
      await store.put(key('start'), Buffer.from('0123456789'), { contentType });
      assert.equal((await store.readStart(key('start'), 4)).toString(), '0123');
      assert.equal((await store.readStart(key('start'), 400)).toString(), '0123456789');
      await store.put(key('start'), Buffer.alloc(0), { contentType });
      assert.equal((await store.readStart(key('start'), 4)).length, 0);
      await assert.rejects(store.readStart(key('nothing'), 4), ObjectNotFound);
    });
  });

  describe('cancelling', () => {
    it('rejects a call with the reason of its signal', async () => {
      const reason = new Error('the caller disconnected');
      const signal = AbortSignal.abort(reason);
      const is = (error: unknown) => error === reason;
      await assert.rejects(store.put(key('cancelled'), Buffer.from('x'), { contentType, signal }), is);
      await assert.rejects(store.stat(key('cancelled'), { signal }), is);
      await assert.rejects(store.read(key('cancelled'), { maxBytes: 1, signal }), is);
      assert.equal(await store.stat(key('cancelled')), undefined);
    });

    it('aborts a download in progress', async () => {
      await store.put(key('long'), Buffer.alloc(PART), { contentType });
      const controller = new AbortController();
      const body = await store.open(key('long'), { signal: controller.signal });
      const reason = new Error('enough');
      const read = assert.rejects(
        async () => {
          for await (const _ of body) controller.abort(reason);
        },
        (error) => error === reason,
      );
      await read;
    });
  });
}
