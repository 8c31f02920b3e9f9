import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { ResourceNotFoundError } from '@modelcontextprotocol/client';
import sharp from 'sharp';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { connectAgent, mcpUrl, type Agent, type Era } from '../../support/agent.ts';
import { sharedRun, type Json } from '../../support/api.ts';
import { book, manual } from '../../support/documents.ts';
import { paddedImage, uniqueImage } from '../../support/images.ts';
import { receiptImage } from '../../support/invoices.ts';
import { createOwnTenant, type OwnTenant } from '../../support/own-tenant.ts';
import { pages, startWebSite, type WebSite } from '../../support/web-site.ts';

/** Each tool and resource on real files, through the protocol's own client. */
const run = sharedRun();
const orm = createOrm(readConfig([databaseConfig], process.env));
let tenant: OwnTenant;
let site: WebSite;
let agent: Agent;
let manualId: string;

before(async () => {
  tenant = await createOwnTenant(orm, run);
  site = await startWebSite('127.0.0.1');
  agent = await connectAgent(run, tenant.apiKey);
  manualId = await tenant.client.ingest({ bytes: manual, filename: 'manual.md' });
  await tenant.client.settled(manualId);
});
after(async () => {
  await agent.client.close();
  await site.stop();
  await orm.close(true);
});

const textOf = (content: Json): string => content[0].text;

for (const era of ['2026-07-28', '2025-11-25'] satisfies Era[]) {
  test(`a client of ${era} sees the tools and resources, and calls one`, async () => {
    const connected = await connectAgent(run, tenant.apiKey, { era });
    const { client } = connected;
    assert.match(client.getInstructions() ?? '', /search_documents/);
    assert.deepEqual(client.getServerVersion()?.name, 'darkroom');
    const { tools } = await client.listTools();
    assert.ok(tools.some(({ name }) => name === 'extract_data'));
    const { resourceTemplates } = await client.listResourceTemplates();
    assert.deepEqual(
      resourceTemplates.map(({ name }) => name),
      ['page', 'page image', 'image'],
    );
    assert.deepEqual((await client.listResources()).resources, []);
    const { items } = await connected.call('list_files', { media_types: ['document'] });
    assert.deepEqual(
      items.map((item: Json) => item.id),
      [manualId],
    );
    await client.close();
  });
}

test('a passage is found, cited and read in its context', async () => {
  const { content } = await agent.client.callTool({
    name: 'search_documents',
    arguments: { query: 'How long is the warranty?', limit: 1 },
  });
  const { items } = JSON.parse(textOf(content));
  assert.match(items[0].content, /twenty-four months/);
  assert.deepEqual([items[0].document_id, items[0].document_filename], [manualId, 'manual.md']);
  const link = content[1];
  assert.equal(link?.type, 'resource_link');
  assert.equal(link.uri, `darkroom://files/${manualId}/pages/${items[0].page_numbers[0]}`);

  const { contents } = await agent.client.readResource({ uri: link.uri });
  const [page] = contents as Json[];
  assert.equal(page.mimeType, 'text/markdown');
  assert.match(page.text, /twenty-four months/);

  const read = await agent.call('read_page', { file_id: manualId, page_number: 1 });
  assert.deepEqual([read.page_number, read.elements[0].type], [1, 'heading']);
  assert.equal(read.elements[0].bounding_box, undefined);
});

test('the passages of a long document are read a few at a time', async () => {
  const id = await tenant.client.ingest({ bytes: book(300), filename: 'book.txt' });
  await tenant.client.settled(id);
  const first = await agent.call('read_chunks', { file_id: id });
  assert.ok(first.total_chunks > 20, `${first.total_chunks} chunks`);
  assert.equal(first.chunks.length, 20);
  const indexes = (answer: Json) => answer.chunks.map((chunk: Json) => chunk.chunk_index);
  const next = await agent.call('read_chunks', { file_id: id, offset: 20, limit: 3 });
  assert.deepEqual(indexes(next), [20, 21, 22]);
  assert.equal(next.total_chunks, first.total_chunks);
  const beyond = await agent.call('read_chunks', { file_id: id, offset: 100_000 });
  assert.deepEqual([beyond.chunks, beyond.total_chunks], [[], first.total_chunks]);
  const { body: whole } = await tenant.client.get(`/files/${id}/chunks`);
  assert.equal(whole.chunks.length, first.total_chunks);

  const file = await agent.call('get_file', { file_id: id });
  const { body } = await tenant.client.get(`/files/${id}`);
  assert.equal(file.primary_status, 'completed');
  assert.ok(body.extracted_text.length > 20_000, `${body.extracted_text.length} characters`);
  const cut = body.extracted_text.length - 20_000;
  assert.equal(file.extracted_text, `${body.extracted_text.slice(0, 20_000)}… [${cut} more characters]`);
});

test('a page of a document is viewed, as a tool and as a resource', async () => {
  const given = { file_id: manualId, page_number: 1, width: 300 };
  const { content } = await agent.client.callTool({ name: 'view_page', arguments: given });
  const [picture] = content as Json[];
  const { width } = await sharp(Buffer.from(picture.data, 'base64')).metadata();
  assert.deepEqual([picture.type, picture.mimeType, width], ['image', 'image/jpeg', 320]);
  const uri = `darkroom://files/${manualId}/pages/1/image`;
  const { contents } = await agent.client.readResource({ uri });
  const [resource] = contents as Json[];
  const shown = await sharp(Buffer.from(resource.blob, 'base64')).metadata();
  assert.deepEqual([resource.mimeType, shown.width], ['image/jpeg', 960]);
});

test('an image is added by its URL and viewed', async () => {
  const bytes = await uniqueImage(900, 600);
  site.serve('/harbour.jpg', pages.of(bytes));
  const added = await agent.call('add_image', { url: site.url('/harbour.jpg'), timeout: 60 });
  assert.equal(added.status, 'completed', JSON.stringify(added));
  const id = added.image_id;
  assert.equal((await agent.call('get_job', { job_id: id })).status, 'completed');
  const file = await agent.call('get_file', { file_id: id });
  assert.deepEqual([file.media_type, file.thumbnail_url], ['image', undefined]);
  assert.equal((await agent.call('explain_file', { file_id: id })).primary_status, 'completed');
  assert.ok((await agent.call('get_timeline', { file_id: id })).runs.length > 0);

  const { content } = await agent.client.callTool({ name: 'view_image', arguments: { file_id: id } });
  const [picture] = content as Json[];
  const { width } = await sharp(Buffer.from(picture.data, 'base64')).metadata();
  assert.deepEqual([picture.type, width], ['image', 750]);
  const uri = `darkroom://files/${id}/images/original`;
  const { contents } = await agent.client.readResource({ uri });
  const [original] = contents as Json[];
  assert.ok(Buffer.from(original.blob, 'base64').equals(bytes));
  assert.match(original.mimeType, /^image\//);
});

test('the images in the results of a batch share the size limit of one response', async () => {
  const id = await tenant.client.ingest({ bytes: await uniqueImage(800, 600), filename: 'batch.jpg' });
  await tenant.client.settled(id);
  const large = await tenant.client.ingest({ bytes: await paddedImage(3_000_000), filename: 'noise.png' });
  await tenant.client.settled(large);
  const looks = [id, id, id, large, large].map((file, at) => ({
    jsonrpc: '2.0',
    id: at,
    method: 'tools/call',
    params: { name: 'view_image', arguments: { file_id: file, variant_type: 'original' } },
  }));
  const response = await fetch(mcpUrl(run), {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      Authorization: `Bearer ${tenant.apiKey}`,
    },
    body: JSON.stringify(looks),
  });
  const answers = (await response.text())
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice(6)));
  assert.deepEqual(
    answers.map(({ id: at, result }) => [at, result.content[0].type]),
    [
      [0, 'image'],
      [1, 'image'],
      [2, 'image'],
      [3, 'image'],
      [4, 'text'],
    ],
  );
  assert.equal(JSON.parse(textOf(answers[4].result.content)).code, 'FILE_TOO_LARGE');
});

test('data is extracted by a schema, once per key, with citations', async () => {
  const id = await tenant.client.ingest({ bytes: await receiptImage(), filename: 'receipt.png' });
  await tenant.client.settled(id);
  const schema = { type: 'object', properties: { total: { type: 'number' }, vat_id: { type: 'string' } } };
  const asked = { file_id: id, schema, citations: true, idempotency_key: randomUUID() };
  const extracted = await agent.call('extract_data', asked);
  assert.deepEqual(extracted.extracted_data, { total: 13.5 });
  assert.equal(extracted.citations['/total'].page, 1);
  const again = await agent.call('extract_data', asked);
  assert.equal(again.extraction_id, extracted.extraction_id);
  const read = await agent.call('get_extraction', { extraction_id: extracted.extraction_id });
  assert.deepEqual([read.status, read.extracted_data], ['completed', { total: 13.5 }]);
  assert.deepEqual((await agent.call('list_extraction_schemas')).items, []);
});

test('a refusal is a result with the code and reason of the operation', async () => {
  const absent = await agent.refused('get_file', { file_id: randomUUID() });
  assert.equal(absent.code, 'NOT_FOUND');
  const wrong = await agent.refused('search_documents', { query: '', limit: 0, colour: 'red' });
  assert.deepEqual(wrong.errors.map(({ pointer }: Json) => pointer).toSorted(), [
    '/body/colour',
    '/body/limit',
    '/body/query',
  ]);
  for (const [name, given, pointer] of [
    ['read_chunks', { file_id: manualId, include_embeddings: true }, '/query/include_embeddings'],
    ['get_file', { file_id: manualId, format: 'x' }, '/query/format'],
    ['add_image', { base64: 'AAAA' }, '/body/base64'],
    ['extract_data', { image_base64: 'AAAA' }, '/body/image_base64'],
  ] as const) {
    const { code, errors } = await agent.refused(name, given);
    assert.deepEqual([code, errors], ['VALIDATION_FAILED', [{ pointer, message: 'unknown field' }]]);
  }
  const long = await agent.refused('list_files', { search: 'x'.repeat(20_000) });
  assert.deepEqual([long.code, long.detail], ['BAD_REQUEST', 'the arguments are too long']);
  const missing = await agent.refused('read_page', { file_id: manualId });
  assert.deepEqual([missing.code, missing.errors[0].pointer], ['VALIDATION_FAILED', '/path/page_number']);
  const noPage = await agent.refused('view_page', { file_id: manualId, page_number: 9999 });
  assert.equal(noPage.code, 'NOT_FOUND');
  const inside = await agent.refused('add_image', { url: 'http://192.168.0.1/x.png' });
  assert.deepEqual(
    [inside.code, /not a public address/.test(inside.detail)],
    ['VALIDATION_FAILED', true],
    JSON.stringify(inside),
  );
  await assert.rejects(agent.client.callTool({ name: 'drop_tables' }), /there is no tool drop_tables/);
  for (const uri of [
    `darkroom://files/${randomUUID()}/pages/1`,
    `darkroom://files/${manualId}/pages/99`,
    'x:y',
  ])
    await assert.rejects(agent.client.readResource({ uri }), ResourceNotFoundError, uri);
  const preview = `darkroom://files/${manualId}/images/small_256`;
  const { contents } = await agent.client.readResource({ uri: preview });
  assert.match((contents[0] as Json).mimeType, /^image\//);
});

test('the status of an unfinished file names the cause of its wait', async () => {
  const announced = { filename: 'a.png', content_type: 'image/png', size_bytes: 1000 };
  const begun = await tenant.client.post('/uploads/request-presigned-url', announced);
  assert.equal(begun.status, 200, JSON.stringify(begun.body));
  const waiting = await agent.call('explain_file', { file_id: begun.body.image_id });
  assert.equal(waiting.primary_status, 'pending');
  assert.match(waiting.explanation, /waits for its bytes/);

  const hanging = new Promise<void>((resolve) => site.serve('/slow.png', () => resolve()));
  const added = agent.call('add_image', { url: site.url('/slow.png'), timeout: 5 });
  await hanging;
  const { status, job_id: job } = await added;
  assert.equal(status, 'processing');
  assert.equal((await agent.call('get_job', { job_id: job })).status, 'processing');
});
