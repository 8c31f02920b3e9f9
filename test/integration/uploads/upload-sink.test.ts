import assert from 'node:assert/strict';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { after, before, describe, it } from 'node:test';
import { sniffContentType } from '../../../engines/content-sniffer/content-sniffer.ts';
import { s3Config } from '../../../adapters/object-store/config.ts';
import type { ObjectStore } from '../../../adapters/object-store/object-store.ts';
import { createS3ObjectStore } from '../../../adapters/object-store/s3-object-store.ts';
import { MAGIC_BYTES } from '../../../domain/media.ts';
import { AppError, type ErrorCode } from '../../../domain/app-error.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import {
  createPartBuffers,
  PART_BYTES,
  type PartBuffer,
} from '../../../services/uploads/streaming/part-buffers.ts';
import {
  createUploadSink,
  type UploadSink,
  type UploadSinkOptions,
} from '../../../services/uploads/streaming/upload-sink.ts';
import { collect } from '../../support/collect.ts';

const MB = 1024 * 1024;
const objects = createS3ObjectStore(readConfig([s3Config], process.env));
const buffers = createPartBuffers(4);
const prefix = `sink/${randomUUID()}/`;

before(() => objects.ensureBucket());
after(async () => objects.remove((await collect(objects.list(prefix))).map(({ key }) => key)));

describe('a whole upload', () => {
  const part = PART_BYTES;
  for (const size of [1, 4099, 4100, 4101, part - 1, part, part + 1, 2 * part, 12 * MB]) {
    it(`of ${size} bytes is stored unchanged, with its hash and type`, async () => {
      const bytes = jpeg(size);
      const { sink, key } = open({ detect: async () => 'image/jpeg' });
      await pipeline(inChunks(bytes), sink.writable);
      assert.deepEqual(await sink.result, {
        sizeBytes: size,
        sha256: createHash('sha256').update(bytes).digest('hex'),
        contentType: 'image/jpeg',
        mediaType: 'image',
        format: 'jpeg',
      });
      assert.ok((await objects.read(key, { maxBytes: size })).equals(bytes));
      assert.equal((await objects.stat(key))?.contentType, 'image/jpeg');
      assert.deepEqual(await collect(objects.listIncompleteUploads(key)), []);
    });
  }

  it('is typed by its first MAGIC_BYTES, or by all of its bytes', async () => {
    const seen: Buffer[] = [];
    const detect = async (head: Uint8Array) => (seen.push(Buffer.from(head)), 'image/webp');
    const bytes = jpeg(9000);
    for (const size of [10, MAGIC_BYTES, 9000]) {
      const { sink } = open({ detect });
      await pipeline(inChunks(bytes.subarray(0, size), 700), sink.writable);
      assert.equal((await sink.result).contentType, 'image/webp');
    }
    assert.deepEqual(seen, [
      bytes.subarray(0, 10),
      bytes.subarray(0, MAGIC_BYTES),
      bytes.subarray(0, MAGIC_BYTES),
    ]);
  });

  it('does not depend on how it is chunked', async () => {
    const bytes = jpeg(PART_BYTES + 5000);
    for (const chunkBytes of [1021, 65_536, bytes.length]) {
      const { sink } = open();
      await pipeline(inChunks(bytes, chunkBytes), sink.writable);
      assert.equal((await sink.result).sha256, createHash('sha256').update(bytes).digest('hex'));
    }
  });

  it('is stored when the stream has finished', async () => {
    const { sink, key } = open();
    sink.writable.end(jpeg(6 * MB));
    await once(sink.writable, 'finish');
    assert.equal((await objects.stat(key))?.sizeBytes, 6 * MB);
  });

  it('of exactly the limit is accepted', async () => {
    const { sink } = open({ maxBytes: 5000 });
    await pipeline(inChunks(jpeg(5000)), sink.writable);
    assert.equal((await sink.result).sizeBytes, 5000);
  });
});

describe('a refused upload', () => {
  const refused: [string, Buffer, ErrorCode, RegExp][] = [
    ['an empty file', Buffer.alloc(0), 'EMPTY_FILE', /empty/],
    ['text', Buffer.from('just words\n'.repeat(1000)), 'UNSUPPORTED_MEDIA', /unknown/],
    ['a script', Buffer.from('#!/bin/sh\nrm -rf /\n'), 'UNSUPPORTED_MEDIA', /unknown/],
    ['HTML', Buffer.from('<!doctype html><script>alert(1)</script>'), 'UNSUPPORTED_MEDIA', /./],
    [
      'SVG',
      Buffer.from('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>'),
      'UNSUPPORTED_MEDIA',
      /^SVG drawings are not accepted/,
    ],
    ['an ELF program', elf(6 * MB), 'UNSUPPORTED_MEDIA', /^programs are not accepted/],
  ];
  for (const [what, bytes, code, message] of refused) {
    it(`never reaches the store: ${what}`, async () => {
      const calls: string[] = [];
      const { sink, key } = open({ objects: watched(calls) });
      await assert.rejects(pipeline(inChunks(bytes), sink.writable));
      await assert.rejects(sink.result, refusal(code, message));
      assert.deepEqual(calls, []);
      await assertNothingLeft(key);
    });
  }

  it('is detected from its first bytes, before the rest is read', async () => {
    const { sink } = open();
    sink.writable.write(elf(MAGIC_BYTES));
    await assert.rejects(sink.result, refusal('UNSUPPORTED_MEDIA', /^programs are not accepted/));
  });

  for (const limit of [5000, 7 * MB]) {
    it(`over a limit of ${limit} bytes leaves nothing behind`, async () => {
      const { sink, key } = open({ maxBytes: limit });
      await assert.rejects(
        pipeline(inChunks(jpeg(limit + 1)), sink.writable),
        refusal('FILE_TOO_LARGE', /larger/),
      );
      await assert.rejects(sink.result, refusal('FILE_TOO_LARGE', /larger/));
      await assertNothingLeft(key);
    });
  }
});

describe('an upload whose client disconnects', () => {
  const bytes = jpeg(12 * MB);
  for (const percent of [0, 1, 50, 99]) {
    it(`after ${percent} % leaves nothing behind`, async () => {
      const { sink, key } = open();
      for (const chunk of inChunks(bytes.subarray(0, (bytes.length * percent) / 100)))
        await new Promise((resolve) => sink.writable.write(chunk, resolve));
      sink.writable.destroy();
      await assert.rejects(sink.result, refusal('CLIENT_GONE', /disconnected/));
      await assertNothingLeft(key);
    });
  }

  it('during a write, or during the last step, leaves nothing behind', async () => {
    for (const end of [false, true]) {
      const { sink, key } = open();
      if (end) sink.writable.end(bytes);
      else sink.writable.write(bytes);
      await new Promise(setImmediate);
      sink.writable.destroy(new Error('cut'));
      await assert.rejects(sink.result, /cut/);
      await assertNothingLeft(key);
    }
  });
});

describe('an upload into a store that fails', () => {
  const failing = (overrides: Partial<ObjectStore>) => ({ ...objects, ...overrides });
  const broken = () => Promise.reject(new Error('the store is broken'));

  for (const part of [1, 2, 3]) {
    it(`at part ${part} fails, and leaves nothing behind`, async () => {
      const uploadPart: ObjectStore['uploadPart'] = (upload, number, ...rest) =>
        number === part ? broken() : objects.uploadPart(upload, number, ...rest);
      const { sink, key } = open({ objects: failing({ uploadPart }) });
      await assert.rejects(pipeline(inChunks(jpeg(14 * MB)), sink.writable), /broken/);
      await assert.rejects(sink.result, /broken/);
      await assertNothingLeft(key);
    });
  }

  it('at the start, although the store has created the upload, leaves nothing behind', async () => {
    const initiateMultipart: ObjectStore['initiateMultipart'] = async (...args) => {
      await objects.initiateMultipart(...args);
      return broken();
    };
    const { sink, key } = open({ objects: failing({ initiateMultipart }) });
    await assert.rejects(pipeline(inChunks(jpeg(6 * MB)), sink.writable), /broken/);
    await assertNothingLeft(key);
  });

  for (const [step, size] of [
    ['put', 1 * MB],
    ['completeMultipart', 6 * MB],
  ] as const) {
    it(`at ${step}, although the object was created, leaves nothing behind`, async () => {
      const { sink, key } = open({
        objects: failing({
          put: async (...args) => (await objects.put(...args), broken()),
          completeMultipart: async (...args) => (await objects.completeMultipart(...args), broken()),
        }),
      });
      await assert.rejects(pipeline(inChunks(jpeg(size)), sink.writable), /broken/);
      await assertNothingLeft(key);
    });
  }

  it('and cannot be cleaned up either is reported with its key', async () => {
    const left: string[] = [];
    const onLeftover: UploadSinkOptions['onLeftover'] = (error, key) => left.push(`${key}: ${String(error)}`);
    const { sink, key } = open({
      objects: failing({ uploadPart: broken, abortMultipart: broken }),
      onLeftover,
    });
    await assert.rejects(pipeline(inChunks(jpeg(6 * MB)), sink.writable), /broken/);
    assert.deepEqual(left, [`${key}: Error: the store is broken`]);
    for (const upload of await collect(objects.listIncompleteUploads(key)))
      await objects.abortMultipart(upload);
  });

  it('does not crash the process when nothing listens for errors', async () => {
    const { sink } = open({ objects: failing({ put: broken }) });
    sink.writable.end(jpeg(5000));
    await new Promise((resolve) => sink.writable.once('close', resolve));
    assert.match(String(sink.writable.errored), /broken/);
  });
});

describe('an upload into a slow store', () => {
  it('pauses its source with two parts in memory, and resumes with the store', async () => {
    const gate = Promise.withResolvers<void>();
    const uploadPart: ObjectStore['uploadPart'] = async (...args) => {
      await gate.promise;
      return objects.uploadPart(...args);
    };
    const { sink } = open({ objects: { ...objects, uploadPart } });
    const bytes = jpeg(20 * MB);
    let taken = 0;
    const source = Readable.from(inChunks(bytes)).on('data', (chunk: Buffer) => (taken += chunk.length));
    const done = pipeline(source, sink.writable);
    await settles(() => taken);
    assert.ok(taken >= 2 * PART_BYTES, `${taken} bytes were taken`);
    assert.ok(taken <= 2 * PART_BYTES + 4 * 65_536, `${taken} bytes were taken`);
    gate.resolve();
    await done;
    assert.equal((await sink.result).sizeBytes, bytes.length);
  });
});

describe('the memory of uploads', () => {
  it('is reused only after success, since a broken connection may still read from it', async () => {
    const lent: PartBuffer[] = [];
    const released: boolean[] = [];
    const lend = () => {
      const release = (reusable: boolean) => released.push(reusable);
      lent.push({ bytes: Buffer.alloc(PART_BYTES), release });
      return lent.at(-1) as PartBuffer;
    };
    const lending = { take: lend, takeSecond: lend };
    const whole = open({ buffers: lending });
    await pipeline(inChunks(jpeg(12 * MB)), whole.sink.writable);
    assert.equal(lent.length, 2);
    assert.deepEqual(released, [true, true]);
    const cut = open({ buffers: lending });
    cut.sink.writable.write(jpeg(12 * MB));
    cut.sink.writable.destroy();
    await assert.rejects(cut.sink.result);
    assert.equal(lent.length, 4);
    assert.deepEqual(released, [true, true, false, false]);
  });

  it('is one part per upload while enough others have two', async () => {
    const shared = createPartBuffers(0, 1);
    const bytes = jpeg(17 * MB);
    const uploads = [1, 2, 3].map(() => open({ buffers: shared }).sink);
    await Promise.all(uploads.map(({ writable }) => pipeline(inChunks(bytes), writable)));
    for (const { result } of uploads)
      assert.equal((await result).sha256, createHash('sha256').update(bytes).digest('hex'));
    assert.ok(shared.takeSecond(), 'the second buffer must be free again');
  });
});

function open(options: Partial<UploadSinkOptions> = {}): { sink: UploadSink; key: string } {
  const key = `${prefix}${randomUUID()}`;
  const onLeftover = (error: unknown) => assert.fail(`leftover: ${String(error)}`);
  const sink = createUploadSink({
    objects,
    buffers,
    detect: sniffContentType,
    key,
    maxBytes: 100 * MB,
    onLeftover,
    ...options,
  });
  return { sink, key };
}

async function assertNothingLeft(key: string): Promise<void> {
  assert.equal(await objects.stat(key), undefined);
  assert.deepEqual(await collect(objects.listIncompleteUploads(key)), []);
}

function refusal(code: ErrorCode, message: RegExp) {
  return (error: unknown) => error instanceof AppError && error.code === code && message.test(error.message);
}

/** The store, recording calls. */
function watched(calls: string[]): ObjectStore {
  return new Proxy(objects, {
    get(target, name: keyof ObjectStore) {
      calls.push(name);
      return target[name];
    },
  });
}

/** A JPEG signature followed by noise. */
function jpeg(size: number): Buffer {
  return signed('ffd8ffe0', size);
}

function elf(size: number): Buffer {
  return signed('7f454c460201010000000000000000000200', size);
}

function signed(signature: string, size: number): Buffer {
  const bytes = randomBytes(size);
  bytes.write(signature, 'hex');
  return bytes;
}

function* inChunks(bytes: Buffer, chunkBytes = 65_536): Generator<Buffer> {
  for (let from = 0; from < bytes.length; from += chunkBytes) yield bytes.subarray(from, from + chunkBytes);
}

/** Waits until a number stops changing. */
async function settles(read: () => number): Promise<void> {
  const end = Date.now() + 20_000;
  for (let last = -1; last !== read() || last === 0;) {
    assert.ok(Date.now() < end, 'it never settled');
    last = read();
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
