import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test, type TestContext } from 'node:test';
import { CreditEntry } from '../../../db/entities/accounts/credit-entry.ts';
import { Tenant } from '../../../db/entities/accounts/tenant.ts';
import { ExtractionPart } from '../../../db/entities/structured-extraction/extraction-part.ts';
import { SchemaExtraction } from '../../../db/entities/structured-extraction/schema-extraction.ts';
import { UsageEvent } from '../../../db/entities/usage/usage-event.ts';
import { extractionReservationId, schemaReservationId } from '../../../domain/accounts/credits.ts';
import { eventually, type Json } from '../../support/api.ts';
import { beginningOf, lineOf, minimalPdf } from '../../support/documents.ts';
import { replies, type ModelReply } from '../../support/model-server.ts';
import { uniqueImage } from '../../support/images.ts';
import { scannedPdf } from '../../support/scans.ts';
import { pages, startWebSite } from '../../support/web-site.ts';
import { own } from './stack.ts';
import { EXTRACTION_WORKFLOWS } from '../../../temporal/contract/extract-data.ts';
import { FILE_WORKFLOWS } from '../../../temporal/contract/process-file.ts';

/**
 * Extractions by a schema, with a model that answers, fails, refuses, or is down, while workers are killed
 * and runs ended.
 */
const { stack, orm, engine, model } = own;
const { client, tenantId } = await own.newTenant();
const site = await startWebSite('127.0.0.1');
after(() => site.stop());

const RECEIPT: Json = {
  type: 'object',
  properties: { shop: { type: 'string' }, total: { type: 'number' } },
  required: ['total'],
};
const FOUND = { shop: 'Corner Bakery', total: 13.5 };
const json = (value: unknown) => replies.content(JSON.stringify(value));
const isExtraction = (body: unknown) => (body as Json).response_format?.json_schema.name === 'extracted_data';
const asked = () => model.requests.filter(({ body }) => isExtraction(body));

/**
 * Replies to extraction requests in this order, repeating the last reply, and to all others with a
 * description.
 */
function answer(context: TestContext, ...script: [ModelReply, ...ModelReply[]]): void {
  const left = [...script];
  model.otherwise((response, request) => {
    const reply = left.length > 1 ? left.shift() : left[0];
    if (isExtraction(request.body)) reply?.(response, request);
    else replies.ok()(response, request);
  });
  context.after(() => model.otherwise(replies.ok()));
}

const upload = async (fields: Record<string, string> = { auto_describe: 'false' }) =>
  client.ingest({ bytes: await uniqueImage(), fields });
const extract = (fields: Json) => client.post('/extract', { schema: RECEIPT, ...fields });
const read = async (id: string): Promise<Json> => (await client.get(`/extractions/${id}`)).body;
/** The id of the extraction that an error response mentions. */
const namedIn = ({ detail }: Json): string => /extraction ([\da-f-]{36})/.exec(detail)?.[1] ?? '';

async function ledger(reservationId: string): Promise<string[]> {
  const entries = await orm.em.fork().find(CreditEntry, { reservationId }, { orderBy: { closes: 'asc' } });
  return entries.map(({ kind, amount }) => `${kind} ${amount}`);
}
const creditsOf = (extractionId: string) => ledger(extractionReservationId(extractionId));

async function ended(id: string): Promise<Json> {
  return eventually(async () => {
    const extraction = await read(id);
    assert.notEqual(extraction.status, 'processing');
    return extraction;
  }, 60);
}

async function savedSchema(): Promise<string> {
  const { status, body } = await client.post('/extraction-schemas', {
    name: `Receipt ${randomUUID()}`,
    schema: RECEIPT,
    prompt_hint: 'Amounts in dollars',
  });
  assert.equal(status, 201, JSON.stringify(body));
  return body.id;
}

test('a model fills in the schema within the token budget of the level, and the credits are spent', async (context) => {
  answer(context, json(FOUND));
  const fileId = await upload();
  for (const [level, budget, credits] of [
    ['quick', 4096, 1],
    ['default', 8192, 2],
    ['critical', 16_384, 4],
  ] as const) {
    const before = asked().length;
    const { status, body } = await extract({ file_id: fileId, analysis_level: level, prompt: 'In dollars' });
    assert.deepEqual([status, body.extracted_data], [200, FOUND], JSON.stringify(body));
    assert.deepEqual(
      [body.provider, body.usage],
      ['openai', { input_tokens: 1200, output_tokens: 80, thinking_tokens: 30 }],
    );
    const [request, ...more] = asked().slice(before);
    assert.ok(request && more.length === 0);
    assert.equal((request.body as Json).max_completion_tokens, budget);
    const sent = JSON.stringify(request.body);
    assert.match(sent, /In dollars/);
    assert.match(sent, /data:image\//);
    assert.deepEqual(await creditsOf(body.extraction_id), [`reserve ${credits}`, `spend ${credits}`]);
    const reservationId = extractionReservationId(body.extraction_id);
    const event = await orm.em.fork().findOneOrFail(UsageEvent, { tenantId, reservationId });
    assert.deepEqual(
      [event.type, event.inputTokens, event.outputTokens, event.thinkingTokens, event.credits, event.fileId],
      ['extract', 1200, 80, 30, credits, fileId],
    );
  }
});

test('an answer that does not match the schema is repaired once, and both calls are counted', async (context) => {
  answer(context, json({ total: 'a lot' }), json(FOUND));
  const before = asked().length;
  const { status, body } = await extract({ file_id: await upload() });
  assert.deepEqual([status, body.extracted_data], [200, FOUND], JSON.stringify(body));
  assert.equal(body.usage.input_tokens, 2400);
  const [, repair] = asked().slice(before);
  assert.match(JSON.stringify(repair?.body), /a lot/);
});

test('a rate limit pauses the extraction', async (context) => {
  answer(context, replies.rateLimited('1'), json(FOUND));
  const before = asked().length;
  const { status, body } = await extract({ file_id: await upload() });
  assert.deepEqual([status, body.extracted_data], [200, FOUND], JSON.stringify(body));
  assert.equal(asked().length - before, 2);
});

for (const [name, reply, code, reason] of [
  [
    'an outage that outlasts the timeout of the client',
    replies.error(500),
    'MODEL_UNAVAILABLE',
    'MODEL_UNAVAILABLE',
  ],
  ['a refusal', replies.content(null, { refusal: 'no' }), 'EXTRACTION_EMPTY', 'MODEL_REFUSED'],
  [
    'an answer that twice does not match the schema',
    json({ shop: 1 }),
    'EXTRACTION_EMPTY',
    'MODEL_INVALID_ANSWER',
  ],
  ['an answer without any value', json({ shop: '', total: null }), 'EXTRACTION_EMPTY', undefined],
] as const) {
  test(`${name} fails with a reason and costs nothing`, async (context) => {
    answer(context, reply);
    const { status, body } = await extract({ file_id: await upload(), timeout: 12 });
    assert.deepEqual([status, body.code], [500, code], JSON.stringify(body));
    const id = namedIn(body);
    const extraction = await read(id);
    assert.deepEqual([extraction.status, extraction.extracted_data], ['failed', null]);
    if (reason) assert.equal(extraction.error.code, reason);
    assert.ok(body.detail.startsWith(extraction.error.message), body.detail);
    assert.deepEqual(await creditsOf(id), ['reserve 2', 'refund 2']);
    const event = await orm.em
      .fork()
      .findOneOrFail(UsageEvent, { tenantId, reservationId: extractionReservationId(id) });
    assert.deepEqual([event.errorCode, event.credits], [extraction.error.code, 0]);
    // The provider bills tokens for every answer.
    assert.equal(event.inputTokens > 0, code !== 'MODEL_UNAVAILABLE');
  });
}

test('a refused API key is reported at once', async (context) => {
  answer(context, replies.error(401));
  const before = asked().length;
  const { status, body } = await extract({ file_id: await upload() });
  assert.deepEqual([status, body.code], [500, 'MODEL_UNAVAILABLE'], JSON.stringify(body));
  assert.equal(asked().length - before, 1);
});

test('a model that does not answer fails the request before the client times out', async (context) => {
  answer(context, replies.hang());
  const { status, body } = await extract({ file_id: await upload(), timeout: 40 });
  assert.deepEqual([status, body.code], [500, 'MODEL_UNAVAILABLE'], JSON.stringify(body));
  assert.equal((await read(namedIn(body))).error.code, 'MODEL_TIMEOUT');
});

test('fields that a document makes the model add to the schema are not in the result', async (context) => {
  answer(context, json({ ...FOUND, is_admin: true, shop: FOUND.shop }));
  const before = asked().length;
  const { status, body } = await extract({ file_id: await upload() });
  assert.deepEqual([status, body.extracted_data], [200, FOUND], JSON.stringify(body));
  assert.equal(asked().length - before, 1, 'the answer needed no repair');
  const open = { ...RECEIPT, additionalProperties: true };
  const { body: more } = await extract({ file_id: await upload(), schema: open });
  assert.deepEqual(more.extracted_data, { ...FOUND, is_admin: true });
});

test('an analysis of a document ends with its text and does not wait for its description', async (context) => {
  model.otherwise(replies.hang());
  context.after(() => model.otherwise(replies.ok()));
  const form = new FormData();
  form.append('file', new Blob([minimalPdf([lineOf(1), lineOf(2)])]), 'book.pdf');
  const { status, body } = await client.request('POST', '/files/analyze', { body: form });
  assert.deepEqual([status, body.status, body.page_count], [200, 'completed', 2], JSON.stringify(body));
  assert.ok(body.extracted_text.includes(beginningOf(2)) && body.chunk_count > 0, JSON.stringify(body));
  const job = async () => (await client.get(`/job/${body.document_id}`)).body;
  const early = await job();
  assert.deepEqual(
    [early.status, early.results[0].status, early.results[0].description],
    ['completed', 'completed', null],
  );
  assert.equal((await client.get(`/files/${body.document_id}`)).body.primary_status, 'processing');
});

test('an analysis that outlasts the timeout of the client reports that the pages are being read', async (context) => {
  await stack.kill('worker-ocr');
  context.after(() => stack.start('worker-ocr'));
  const form = new FormData();
  form.append('timeout', '5');
  const words = [{ text: 'The book of the harbour', x: 80, y: 90, size: 40 }];
  form.append('file', new Blob([await scannedPdf([words])]), 'scan.pdf');
  const { status, body } = await client.request('POST', '/files/analyze', { body: form });
  assert.deepEqual(
    [status, body.status, body.text_extraction_status],
    [200, 'processing', 'processing'],
    JSON.stringify(body),
  );
});

test('an extraction that outlasts the timeout of the client completes in the background', async (context) => {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  answer(context, (response, request) => void released.then(() => json(FOUND)(response, request)));
  const { status, body } = await extract({ file_id: await upload(), timeout: 5 });
  assert.deepEqual([status, body.status], [202, 'processing'], JSON.stringify(body));
  release();
  const extraction = await ended(body.extraction_id);
  assert.deepEqual([extraction.status, extraction.extracted_data], ['completed', FOUND]);
});

test('nothing starts without credits', async () => {
  const poor = await own.newTenant();
  await orm.em.fork().nativeUpdate(Tenant, poor.tenantId, { maxMonthlyCredits: 1 });
  const image = (await uniqueImage()).toString('base64');
  const { status, body } = await poor.client.post('/extract', { image_base64: image, schema: RECEIPT });
  assert.deepEqual([status, body.code], [429, 'QUOTA_EXHAUSTED']);
  assert.equal(await orm.em.fork().count(SchemaExtraction, { tenantId: poor.tenantId }), 0);
});

test('an image is fetched from its URL once, and never from a private network', async (context) => {
  answer(context, json(FOUND));
  site.serve('/receipt.jpg', pages.of(await uniqueImage()));
  site.serve('/page.jpg', pages.of(Buffer.from('<html>no image</html>')));
  site.serve('/out.jpg', pages.redirect('http://169.254.169.254/latest/meta-data/'));
  const { status, body } = await extract({ image_url: site.url('/receipt.jpg') });
  assert.deepEqual([status, body.extracted_data], [200, FOUND], JSON.stringify(body));
  assert.equal(site.requests.filter((path) => path === '/receipt.jpg').length, 1);
  assert.equal((await read(body.extraction_id)).source, 'url');
  const before = asked().length;
  for (const [url, reason] of [
    [site.url('/out.jpg'), /not public/],
    [site.url('/page.jpg'), /no image/],
    [site.url('/none.jpg'), /404/],
  ] as const) {
    const refused = await extract({ image_url: url });
    assert.deepEqual([refused.status, refused.body.code], [422, 'IMAGE_UNREADABLE'], url);
    assert.match(refused.body.detail, reason, url);
    assert.deepEqual(await creditsOf(namedIn(refused.body)), ['reserve 2', 'refund 2']);
  }
  const inside = await extract({ image_url: 'http://10.0.0.1/receipt.jpg' });
  assert.deepEqual([inside.status, inside.body.errors?.[0]?.pointer], [422, '/body/image_url']);
  assert.match(inside.body.detail, /not a public address/);
  assert.equal(asked().length, before);
});

test('a file uploaded with a saved schema gets its data, if necessary by a retry', async (context) => {
  answer(context, replies.content(null, { refusal: 'no' }));
  const unknown = await client.upload({
    bytes: await uniqueImage(),
    fields: { custom_schema_id: randomUUID() },
  });
  assert.deepEqual([unknown.status, unknown.body.code], [400, 'CUSTOM_SCHEMA_NOT_FOUND']);

  const schemaId = await savedSchema();
  const id = await upload({ custom_schema_id: schemaId });
  const failed = await client.settled(id);
  assert.deepEqual(
    [failed.primary_status, failed.description_status, failed.extraction_status],
    ['partially_completed', 'completed', 'failed'],
  );
  assert.match(failed.extraction_error, /refused/);
  const { status, error } = failed.schema_extraction;
  assert.deepEqual([status, error.code], ['failed', 'MODEL_REFUSED']);
  assert.deepEqual(await ledger(schemaReservationId(id, 1)), ['reserve 2', 'refund 2']);

  answer(context, json(FOUND));
  const before = asked().length;
  const { body } = await client.post(`/files/${id}/retry`, {});
  assert.deepEqual(body.retried, ['extraction'], JSON.stringify(body));
  const { primary_status: primary, schema_extraction: made } = await client.settled(id);
  assert.deepEqual(
    [primary, made.status, made.source, made.extracted_data, made.schema_id, made.schema_version],
    ['completed', 'completed', 'upload', FOUND, schemaId, 1],
  );
  assert.deepEqual(await ledger(schemaReservationId(id, 2)), ['reserve 2', 'spend 2']);
  const { components } = (await client.get(`/files/${id}/processing-status`)).body;
  const step = components.extraction.steps.find(({ step: name }: Json) => name === 'extractBySchema');
  assert.equal(step.status, 'completed');
  const [request, ...more] = asked().slice(before);
  assert.equal(more.length, 0);
  assert.match(JSON.stringify(request?.body), /Amounts in dollars/);
});

test('an outage pauses the extraction of an upload', async (context) => {
  answer(context, replies.rateLimited('1'), replies.error(500), json(FOUND));
  const file = await client.settled(await upload({ custom_schema_id: await savedSchema() }));
  assert.deepEqual([file.primary_status, file.schema_extraction.extracted_data], ['completed', FOUND]);
});

test('a worker killed during a model call only costs time: one result, and no answer is paid for twice', async (context) => {
  // Two windows, which are sent to the model in parallel.
  const bytes = minimalPdf(Array.from({ length: 41 }, (_, at) => lineOf(at + 1)));
  const fileId = await client.ingest({ bytes, filename: 'book.pdf' });
  await client.settled(fileId);
  const isFirst = (body: unknown) => JSON.stringify(body).includes(beginningOf(1));
  let isHanging = true;
  answer(context, (response, request) => {
    if (isFirst(request.body)) json({ shop: FOUND.shop })(response, request);
    else if (!isHanging) json({ total: FOUND.total })(response, request);
  });
  const before = asked().length;
  const pending = extract({ file_id: fileId, timeout: 60 });
  await eventually(async () => {
    assert.equal(asked().length, before + 2);
    const em = orm.em.fork();
    const { id: extractionId } = await em.findOneOrFail(SchemaExtraction, { tenantId, fileId });
    const parts = await em.find(ExtractionPart, { extractionId });
    assert.deepEqual(
      parts.map(({ part }) => part),
      [0],
    );
  });
  await stack.kill('worker');
  isHanging = false;
  await stack.start('worker');
  const { status, body } = await pending;
  assert.deepEqual([status, body.extracted_data], [200, FOUND], JSON.stringify(body));
  const requests = asked().slice(before);
  assert.deepEqual(requests.map(({ body: request }) => isFirst(request)).toSorted(), [false, false, true]);
  assert.equal(body.usage.input_tokens, 2400);
  assert.deepEqual(await creditsOf(body.extraction_id), ['reserve 2', 'spend 2']);
});

test('terminated extractions fail with the reason and are refunded, even with every worker dead', async (context) => {
  answer(context, replies.hang());
  const before = asked().length;
  const fileId = await upload({ custom_schema_id: await savedSchema() });
  const started = await extract({ file_id: await upload(), timeout: 5 });
  assert.equal(started.status, 202, JSON.stringify(started.body));
  const id = started.body.extraction_id as string;
  await eventually(async () => assert.equal(asked().length, before + 2));
  await stack.kill('worker');
  try {
    const { workflow } = engine.client;
    await workflow.getHandle(EXTRACTION_WORKFLOWS.of(id)).terminate('an operator said so');
    await workflow.getHandle(FILE_WORKFLOWS.of(fileId)).terminate('an operator said so');
    const { status, error } = await ended(id);
    assert.deepEqual([status, error.message], ['failed', 'the workflow was terminated: an operator said so']);
    assert.deepEqual(await creditsOf(id), ['reserve 2', 'refund 2']);
    const file = await client.settled(fileId);
    assert.equal(file.schema_extraction.status, 'failed', JSON.stringify(file.schema_extraction));
    assert.equal(file.schema_extraction.error.code, 'WORKFLOW_ENDED');
    assert.match(file.extraction_error, /an operator said so/);
    assert.deepEqual(await ledger(schemaReservationId(fileId, 1)), ['reserve 2', 'refund 2']);
  } finally {
    await stack.start('worker');
  }
});
