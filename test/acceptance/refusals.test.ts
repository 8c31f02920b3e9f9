import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { createClient, sharedRun, type Answer } from '../support/api.ts';
import { quarters } from '../support/sample-images.ts';

const run = sharedRun();
const client = createClient(run);
const image: Buffer<ArrayBuffer> = await quarters().png().toBuffer();
const multipart = (body: string | Buffer, boundary = 'x') =>
  client.request('POST', '/files/upload', {
    body: body as string,
    headers: { 'Content-Type': `multipart/form-data; boundary=${boundary}` },
  });
const part = (name: string, value: string, filename?: string) =>
  `--x\r\nContent-Disposition: form-data; name="${name}"${filename === undefined ? '' : `; filename="${filename}"`}\r\n\r\n${value}\r\n`;
const field = (fields: Record<string, string>) => () => client.upload({ bytes: image, fields });
const bytes = (content: string | Buffer) => () => client.upload({ bytes: Buffer.from(content) });

const TABLE: [string, () => Promise<Answer>, number, string][] = [
  ['an empty file', bytes(''), 422, 'EMPTY_FILE'],
  ['plain text', bytes('hello'), 415, 'UNSUPPORTED_MEDIA'],
  ['a script', bytes('#!/bin/sh\nrm -rf /\n'), 415, 'UNSUPPORTED_MEDIA'],
  ['HTML', bytes('<!doctype html><script>alert(1)</script>'), 415, 'UNSUPPORTED_MEDIA'],
  ['SVG', bytes('<svg xmlns="http://www.w3.org/2000/svg"/>'), 415, 'UNSUPPORTED_MEDIA'],
  ['an ELF executable', bytes(Buffer.from('7f454c4602010100', 'hex')), 415, 'UNSUPPORTED_MEDIA'],
  ['a BMP', bytes(Buffer.concat([Buffer.from('BM'), Buffer.alloc(100)])), 415, 'UNSUPPORTED_MEDIA'],
  [
    'an encrypted workbook',
    bytes(Buffer.from('d0cf11e0a1b11ae1'.padEnd(1200, '0'), 'hex')),
    415,
    'UNSUPPORTED_MEDIA',
  ],
  ['no file part', () => multipart(`${part('title', 'a')}--x--\r\n`), 422, 'VALIDATION_FAILED'],
  [
    'two file parts',
    () => multipart(`${part('file', image.toString('latin1'), 'a')}${part('file', 'b', 'b')}--x--\r\n`),
    400,
    'BAD_REQUEST',
  ],
  [
    'a file under another name',
    () => multipart(`${part('image', 'abc', 'a.png')}--x--\r\n`),
    400,
    'BAD_REQUEST',
  ],
  ['a form without its closing boundary', () => multipart(part('title', 'a')), 400, 'BAD_REQUEST'],
  [
    'a form without a boundary',
    () =>
      client.request('POST', '/files/upload', {
        body: 'a',
        headers: { 'Content-Type': 'multipart/form-data' },
      }),
    400,
    'BAD_REQUEST',
  ],
  ['10,000 fields', () => multipart(`${part('tags', 'b').repeat(10_000)}--x--\r\n`), 400, 'BAD_REQUEST'],
  ['a body that is not a form', () => client.post('/files/upload', {}), 400, 'BAD_REQUEST'],
  ['a title of 256 characters', field({ title: 'x'.repeat(256) }), 422, 'VALIDATION_FAILED'],
  ['a NUL in the title', field({ title: 'a\0b' }), 422, 'VALIDATION_FAILED'],
  [
    '41 tags',
    field({ tags: Array.from({ length: 41 }, (_, i) => `t${i}`).join(',') }),
    422,
    'VALIDATION_FAILED',
  ],
  ['a tag of 51 characters', field({ tags: 'x'.repeat(51) }), 422, 'VALIDATION_FAILED'],
  ['auto_describe that is not a boolean', field({ auto_describe: 'maybe' }), 422, 'VALIDATION_FAILED'],
  ['an unknown category', field({ content_category: 'auto' }), 422, 'VALIDATION_FAILED'],
  ['a compliance type without a standard', field({ compliance_type: 'mls' }), 422, 'VALIDATION_FAILED'],
  ['a folder that is not a UUID', field({ folder_id: 'x' }), 422, 'VALIDATION_FAILED'],
  ['an unknown folder', field({ folder_id: randomUUID() }), 404, 'NOT_FOUND'],
  ['an unknown project', field({ project_id: randomUUID() }), 404, 'NOT_FOUND'],
  ['an unknown schema', field({ custom_schema_id: randomUUID() }), 400, 'CUSTOM_SCHEMA_NOT_FOUND'],
  [
    'custom storage that is not configured',
    field({ storage_target: 'custom' }),
    400,
    'STORAGE_NOT_CONFIGURED',
  ],
  ['an absent file', () => client.get(`/files/${randomUUID()}`), 404, 'NOT_FOUND'],
  ['a malformed id', () => client.get('/files/..%2f..%2fetc'), 404, 'NOT_FOUND'],
  ['an unknown variant', () => client.get(`/files/${randomUUID()}/variant/huge`), 422, 'VALIDATION_FAILED'],
  ['a page of 101', () => client.get('/files?limit=101'), 422, 'VALIDATION_FAILED'],
  ['a negative offset', () => client.get('/files?offset=-1'), 422, 'VALIDATION_FAILED'],
  ['a limit given twice', () => client.get('/files?limit=1&limit=2'), 422, 'VALIDATION_FAILED'],
  ['an unknown sort', () => client.get('/files?sort_by=secret'), 422, 'VALIDATION_FAILED'],
  [
    'malformed JSON',
    () =>
      client.request('POST', `/files/${randomUUID()}/retry`, {
        body: '{',
        headers: { 'Content-Type': 'application/json' },
      }),
    400,
    'BAD_REQUEST',
  ],
  [
    'JSON 10,000 deep',
    () =>
      client.request('POST', `/files/${randomUUID()}/retry`, {
        body: '['.repeat(10_000) + ']'.repeat(10_000),
        headers: { 'Content-Type': 'application/json' },
      }),
    422,
    'VALIDATION_FAILED',
  ],
  [
    'an unknown component',
    () => client.post(`/files/${randomUUID()}/retry`, { components: ['soul'] }),
    422,
    'VALIDATION_FAILED',
  ],
  ['an unknown path', () => client.get('/nothing'), 404, 'NOT_FOUND'],
  ['an unsupported method', () => client.request('PUT', '/files'), 405, 'METHOD_NOT_ALLOWED'],
];

for (const [what, ask, status, code] of TABLE) {
  test(`${what} is answered with ${status} ${code}`, async () => {
    const answer = await ask();
    assert.equal(answer.status, status, JSON.stringify(answer.body));
    assert.equal(answer.body.code, code);
    assert.equal(typeof answer.body.detail, 'string');
    assert.equal(answer.body.request_id, answer.headers.get('x-request-id'));
  });
}

test('all errors of a form are reported together', async () => {
  const { body } = await field({
    auto_describe: 'maybe',
    content_category: 'auto',
    title: 'x'.repeat(256),
    compliance_type: 'mls',
  })();
  assert.deepEqual(
    body.errors.map((error: { pointer: string }) => error.pointer),
    ['/form/title', '/form/auto_describe', '/form/content_category', '/form/compliance_standard'],
  );
});

test('empty fields of a form count as absent', async () => {
  const names = ['title', 'tags', 'auto_describe', 'skip_duplicates', 'storage_target', 'folder_id'];
  names.push('project_id', 'content_category', 'custom_schema_id', 'compliance_type', 'compliance_standard');
  const fields = Object.fromEntries(names.map((name) => [name, '']));
  const id = await client.ingest({ bytes: image, filename: 'plain.png', fields });
  const { body } = await client.get(`/files/${id}`);
  assert.deepEqual([body.title, body.tags, body.content_category], ['plain.png', [], 'general']);
  const { title: _ofOne, ...ofMany } = fields;
  const many = await client.batch([{ bytes: image }], ofMany);
  assert.equal(many.status, 201, JSON.stringify(many.body));
});

test('a form that ends within an image is reported as truncated on every route', async () => {
  const torn = (name: string) =>
    Buffer.concat([Buffer.from(part(name, '', 'torn.png').slice(0, -2)), image, randomBytes(600_000)]);
  for (const [path, name] of [
    ['/files/upload', 'file'],
    ['/user-files/upload/stream', 'file'],
    ['/files/upload/batch', 'files'],
    ['/user-files/upload/stream-batch', 'files'],
  ] as const) {
    const { status, body } = await client.request('POST', path, {
      body: torn(name),
      headers: { 'Content-Type': 'multipart/form-data; boundary=x' },
    });
    assert.deepEqual([path, status, body.code], [path, 400, 'BAD_REQUEST'], JSON.stringify(body));
    assert.match(body.detail, /^the form cannot be read: .*unexpected end/i);
  }
});

test('a file over 100 MB is rejected with a pointer to direct uploads', async () => {
  const declared = await client.request('POST', '/files/upload', {
    body: Buffer.concat([
      Buffer.from(part('file', '', 'big.png').slice(0, -2)),
      image,
      Buffer.alloc(101 * 1024 * 1024),
      Buffer.from('\r\n--x--\r\n'),
    ]),
    headers: { 'Content-Type': 'multipart/form-data; boundary=x' },
  });
  assert.equal(declared.status, 413);
  assert.equal(declared.body.suggestion.endpoint, '/api/v2/files/direct-uploads');
});

test('rejected uploads leave no file behind', async () => {
  const own = createClient(run, run.tenants.starter.api_key);
  for (const fields of [{ title: 'x'.repeat(256) }, { folder_id: randomUUID() }])
    await own.upload({ bytes: image, filename: 'refused.png', fields: fields });
  const { items } = (await own.get('/files?limit=100')).body;
  assert.ok(items.every(({ filename }: { filename: string }) => filename !== 'refused.png'));
});

const withHeaders = (headers: Record<string, string>) =>
  fetch(`${run.api_url}/files`, { headers }).then(async (answer) => ({
    status: answer.status,
    body: (await answer.json()) as { code: string; detail: string },
  }));

test('a key works in either header; no key, a wrong one, or two different ones do not', async () => {
  const key = run.api_key;
  const wrong = `${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}`;
  assert.equal((await withHeaders({ Authorization: `Bearer ${key}` })).status, 200);
  assert.equal((await withHeaders({ 'X-API-Key': key })).status, 200);
  assert.equal((await withHeaders({ 'X-API-Key': key, Authorization: `Bearer ${key}` })).status, 200);
  const refused = await Promise.all([
    withHeaders({}),
    withHeaders({ 'X-API-Key': wrong }),
    withHeaders({ 'X-API-Key': 'drk_x' }),
    withHeaders({ 'X-API-Key': "' or 1=1 --" }),
    withHeaders({ Authorization: 'Basic abc' }),
    withHeaders({ 'X-API-Key': key, Authorization: `Bearer ${wrong}` }),
  ]);
  assert.deepEqual(
    refused.map(({ status }) => status),
    [401, 401, 401, 401, 401, 401],
  );
  assert.deepEqual([...new Set(refused.map(({ body }) => body.code))], ['UNAUTHENTICATED']);
});

test('the FREE tier has no API access', async () => {
  const answer = await withHeaders({ 'X-API-Key': run.tenants.free.api_key });
  assert.equal(answer.status, 403);
  assert.equal(answer.body.code, 'INSUFFICIENT_TIER');
  assert.match(answer.body.detail, /Insufficient subscription tier/);
});

test("another tenant's file looks absent on every route", async () => {
  const id = await client.ingest({ bytes: image });
  const stranger = createClient(run, run.tenants.professional.api_key);
  const absent = (await stranger.get(`/files/${randomUUID()}`)).body.detail;
  for (const ask of [
    () => stranger.get(`/files/${id}`),
    () => stranger.get(`/files/${id.slice(0, 8)}`),
    () => stranger.get(`/files/${id}/download`),
    () => stranger.get(`/files/${id}/variant/original`),
    () => stranger.get(`/files/${id}/variant/tiny_64`),
    () => stranger.get(`/files/${id}/timeline`),
    () => stranger.post(`/files/${id}/retry`, {}),
  ]) {
    const answer = await ask();
    assert.equal(answer.status, 404);
    assert.equal(answer.body.detail, absent);
  }
});

test('formats that offices still have are refused with what to send instead', async () => {
  const compound = Buffer.from('d0cf11e0a1b11ae1'.padEnd(1200, '0'), 'hex');
  for (const [filename, content, expected] of [
    ['old.doc', compound, /\(DOC\) are not accepted; save them as DOCX/],
    ['old.xls', compound, /\(XLS\) are not accepted; save them as XLSX/],
    ['old.ppt', compound, /\(PPT\) are not accepted; save them as PPTX/],
  ] as const) {
    const { status, body } = await client.upload({ bytes: content, filename });
    assert.deepEqual([status, body.code], [415, 'UNSUPPORTED_MEDIA'], filename);
    assert.match(body.detail, expected);
  }
});
