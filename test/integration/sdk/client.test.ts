import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { z } from 'zod';
import { ApiError, Darkroom, sha256, type Progress, type UploadOutcome } from '../../../sdk/src/index.ts';
import { sharedRun } from '../../support/api.ts';
import { paddedImage, uniqueImage } from '../../support/images.ts';

const run = sharedRun();
const client = new Darkroom({ baseUrl: run.api_url, apiKey: run.api_key });
const folder = mkdtempSync(join(tmpdir(), 'darkroom-sdk-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const textOf = (words: string) => new File([words], 'note.txt', { type: 'text/plain' });

test('a direct upload is resumed by its id alone, and sends only the parts that the store lacks or has wrong', async () => {
  const size = 5 * 1024 * 1024;
  const bytes = await paddedImage(3 * size + 7);
  const filename = 'a.png';
  const announced = {
    filename,
    content_type: 'image/png',
    size_bytes: bytes.length,
    claimed_file_hash: await sha256(new Blob([bytes])),
  };
  const { data: upload } = await client.api.POST('/files/direct-uploads', {
    body: { ...announced, upload_mode: 'multipart', part_size_bytes: size },
  });
  assert.ok(upload.upload_mode === 'multipart');
  const { upload_id: id } = upload;
  const params = { path: { upload_id: id } };
  const put = async (number: number, part: Buffer<ArrayBuffer>) => {
    const response = await fetch(upload.part_urls[number - 1]?.url ?? '', { method: 'PUT', body: part });
    assert.equal(response.status, 200);
    return { part_number: number, etag: response.headers.get('etag') ?? '', size_bytes: part.length };
  };
  const confirm = '/files/direct-uploads/{upload_id}/parts/confirm';
  await client.api.POST(confirm, { params, body: await put(1, bytes.subarray(0, size)) });
  await put(2, bytes.subarray(size, 2 * size));
  await client.api.POST(confirm, { params, body: await put(4, Buffer.alloc(7)) });

  let sent = 0;
  const other = new Darkroom({
    baseUrl: run.api_url,
    apiKey: run.api_key,
    fetch(request, init) {
      if (request.method === 'PUT') sent += 1;
      return fetch(request, init);
    },
  });
  await assert.rejects(other.resumeUpload(id, bytes.subarray(1)), { code: 'OTHER_FILE' });
  await assert.rejects(other.resumeUpload(id, Buffer.alloc(bytes.length)), { code: 'OTHER_FILE' });
  const { file_id: fileId } = await other.resumeUpload(id, bytes);
  assert.equal(sent, 2);
  const stored = Buffer.from(await (await client.download(fileId)).arrayBuffer());
  assert.ok(stored.equals(bytes));
  assert.equal((await other.resumeUpload(id, bytes)).file_id, fileId);

  const { data: single } = await client.api.POST('/files/direct-uploads', {
    body: { ...announced, upload_mode: 'single_shot' },
  });
  await other.resumeUpload(single.upload_id, bytes);
  assert.equal(sent, 3);
});

test('a file is uploaded by its path, processed and downloaded', async () => {
  const bytes = await uniqueImage();
  const path = join(folder, 'harbour.png');
  writeFileSync(path, bytes);
  const seen: Progress[] = [];
  const { file_id: id, skipped } = await client.upload(path, {
    tags: ['sea', 'boats'],
    onProgress: (progress) => seen.push(progress),
  });
  assert.equal(skipped, false);
  assert.deepEqual(seen.at(-1), { sentBytes: bytes.length, totalBytes: bytes.length });
  const file = await client.wait(id);
  assert.equal(file.primary_status, 'completed');
  assert.equal(file.title, 'harbour.png');
  assert.ok(file.tags.includes('boats'), file.tags.join());
  assert.deepEqual(Buffer.from(await (await client.download(id)).arrayBuffer()), Buffer.from(bytes));
  const small = await client.download(id, { variant: 'small_256' });
  assert.match(small.headers.get('content-type') ?? '', /^image\//);
  assert.ok((await client.similar(id, { limit: 5 })).every(({ image_id: other }) => other !== id));
});

test('a wait reports live events', async () => {
  const { file_id: id } = await client.upload(await uniqueImage(), { filename: 'live.png' });
  const types: string[] = [];
  const file = await client.wait(id, { onEvent: ({ type }) => types.push(type) });
  assert.equal(file.primary_status, 'completed');
  assert.equal(types[0], 'snapshot');
  assert.equal(types.at(-1), 'file.terminal');
});

test('a large file is sent to the store in parts, and sending it again is skipped', async () => {
  const bytes = Buffer.concat([await uniqueImage(), Buffer.alloc(65 * 1024 * 1024)]);
  const seen: Progress[] = [];
  const blob = new File([bytes], 'large.png');
  const first = await client.upload(blob, {
    skip_duplicates: true,
    auto_describe: false,
    onProgress: (progress) => seen.push(progress),
  });
  assert.equal(first.skipped, false);
  assert.ok(seen.length > 1, 'parts must be reported');
  assert.equal(seen.at(-1)?.sentBytes, bytes.length);
  const again = await client.upload(blob, { skip_duplicates: true, auto_describe: false });
  assert.deepEqual(again, { file_id: first.file_id, skipped: true });
});

test('a small file is sent to the store with one PUT on request', async () => {
  const bytes = await uniqueImage();
  const { file_id: id } = await client.upload(bytes, { filename: 'direct.png', directOverBytes: 0 });
  assert.equal((await client.wait(id)).primary_status, 'completed');
});

test('long and short streams are uploaded', async () => {
  async function* lines(): AsyncGenerator<Uint8Array> {
    for (let line = 0; line < 3; line += 1) yield Buffer.from(`${line} ${'number '.repeat(100)}\n`);
  }
  const short = await client.upload(lines(), { filename: 'short.txt', auto_describe: false });
  const read = await client.wait(short.file_id);
  assert.equal(read.primary_status, 'completed', JSON.stringify(read));
  // A text document of this size would take minutes to embed.
  async function* image(): AsyncGenerator<Uint8Array> {
    yield await uniqueImage();
    for (let part = 0; part < 9; part += 1) yield Buffer.alloc(1024 * 1024);
  }
  const long = await client.upload(image(), { filename: 'long.png', auto_describe: false });
  const { data } = await client.api.GET('/files/{file_id}', { params: { path: { file_id: long.file_id } } });
  assert.ok(data.size_bytes > 8 * 1024 * 1024, `${data.size_bytes} bytes`);
});

test('a URL is read by the client and uploaded', async () => {
  const bytes = await uniqueImage();
  const server = createServer((_request, response) => response.end(bytes));
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const { file_id: id } = await client.upload(new URL(`http://127.0.0.1:${port}/a/lighthouse.png?x=1`));
    assert.equal((await client.wait(id)).title, 'lighthouse.png');
  } finally {
    server.close();
  }
});

test('many files are uploaded, and a refused one does not stop the others', async () => {
  const images = await Promise.all(Array.from({ length: 7 }, () => uniqueImage()));
  const sources = [
    ...images.map((bytes, index) => new File([bytes], `many-${index}.png`)),
    new File(['#!/bin/sh\nexit 0\n'], 'script.sh'),
    join(folder, 'absent.png'),
  ];
  const ends: UploadOutcome[] = [];
  for await (const end of client.uploadMany(sources, { auto_describe: false })) ends.push(end);
  const ok = ends.filter(({ uploaded }) => uploaded);
  assert.deepEqual(ok.map(({ index }) => index).toSorted(), [0, 1, 2, 3, 4, 5, 6]);
  assert.equal(new Set(ok.map(({ uploaded }) => uploaded?.file_id)).size, 7);
  const refused = ends.find(({ index }) => index === 7)?.error;
  assert.ok(refused instanceof ApiError, String(refused));
  assert.equal(refused.code, 'UNSUPPORTED_MEDIA');
  assert.ok(ends.find(({ index }) => index === 8)?.error);
});

test('documents are searched, and extracted values have the type of the schema', async () => {
  const { file_id: id } = await client.upload(textOf('Date: 2026-11-21\nTotal: 13.50\n'));
  assert.equal((await client.wait(id)).primary_status, 'completed');
  const { items } = await client.search('What is the total?', { document_ids: [id] });
  assert.match(items[0]?.content ?? '', /13\.50/);

  const { data, citations } = await client.extract(id, z.object({ date: z.iso.date(), total: z.number() }));
  const total: number = data.total;
  assert.deepEqual([data.date, total], ['2026-11-21', 13.5]);
  assert.equal(citations?.['/total']?.page, 1);

  const plain = await client.extract<{ total?: number }>(
    id,
    { type: 'object', properties: { total: { type: 'number' } } },
    { citations: false },
  );
  assert.deepEqual([plain.data.total, plain.citations], [13.5, null]);
});

test('lists are read page by page', async () => {
  const tag = `listed-${crypto.randomUUID().slice(0, 8)}`;
  const sent = new Set<string>();
  for (let index = 0; index < 5; index += 1) {
    const { file_id: id } = await client.upload(textOf(`${tag} ${index}`), {
      tags: [tag],
      auto_describe: false,
    });
    sent.add(id);
  }
  const listed: string[] = [];
  for await (const { id } of client.list('/files', { query: { tags: [tag], limit: 2 } })) listed.push(id);
  assert.deepEqual(new Set(listed), sent);
  assert.equal(listed.length, 5);
  const folders: string[] = [];
  for (const name of ['a', 'b', 'c']) await client.api.POST('/folders', { body: { name: `${tag} ${name}` } });
  for await (const { name } of client.list('/folders', { query: { limit: 2 } })) folders.push(name);
  assert.ok(['a', 'b', 'c'].every((name) => folders.includes(`${tag} ${name}`)));
});

test('an export is created and awaited', async () => {
  const { file_id: id } = await client.upload(textOf('exported'), { auto_describe: false });
  const record = await client.exportFiles({ format: 'csv', columns: [{ field_key: 'id' }], file_ids: [id] });
  assert.equal(record.record_count, 1);
  assert.match(await (await fetch(record.download_url ?? '')).text(), new RegExp(id));
});

test('an error has a code, the request id and the invalid fields', async () => {
  const invalid = client.api.PATCH('/files/{file_id}', {
    params: { path: { file_id: crypto.randomUUID() } },
    body: { title: 'x'.repeat(300) },
  });
  await assert.rejects(invalid, (error) => {
    assert.ok(error instanceof ApiError);
    assert.deepEqual([error.status, error.code], [422, 'VALIDATION_FAILED']);
    assert.equal(error.errors[0]?.pointer, '/body/title');
    assert.match(error.requestId, /^[0-9a-f-]{36}$/);
    return true;
  });
  const stranger = new Darkroom({ baseUrl: run.api_url, apiKey: 'drk_unknown' });
  await assert.rejects(stranger.wait(crypto.randomUUID()), { code: 'UNAUTHENTICATED', status: 401 });
  await assert.rejects(client.wait(crypto.randomUUID()), { code: 'NOT_FOUND', status: 404 });
});
