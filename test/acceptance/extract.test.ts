import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { createClient, sharedRun, type Json } from '../support/api.ts';
import { invoiceDocument, receiptImage } from '../support/invoices.ts';
import { demoImage } from '../support/images.ts';

/** Extraction by a schema without a model, which reads only labelled values. */
const run = sharedRun();
const client = createClient(run);

const RECEIPT: Json = {
  type: 'object',
  properties: {
    shop: { type: 'string' },
    date: { type: 'string', format: 'date' },
    subtotal: { type: 'number' },
    tax: { type: 'number' },
    total: { type: 'number' },
    vat_id: { type: 'string' },
  },
};
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

test('an image in the request becomes an object of the schema, with citations', async () => {
  const { status, body } = await client.post('/extract', {
    image_base64: `data:image/png;base64,${base64(await receiptImage())}`,
    schema: RECEIPT,
    citations: true,
    analysis_level: 'quick',
  });
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(body.extracted_data, {
    date: '2026-11-21',
    subtotal: 12.5,
    tax: 1,
    total: 13.5,
  });
  assert.deepEqual(
    [body.provider, body.usage],
    ['local', { input_tokens: 0, output_tokens: 0, thinking_tokens: null }],
  );
  assert.ok(body.processing_time_ms > 0);
  const { text, bounding_box: box, page, confidence } = body.citations['/total'];
  assert.match(text, /13\.50/);
  assert.deepEqual([page, confidence], [1, 1]);
  assert.ok(box.y > 0.5 && box.y + box.h < 1, JSON.stringify(box));

  const read = await client.get(`/extractions/${body.extraction_id}`);
  assert.equal(read.status, 200);
  assert.deepEqual(
    [read.body.status, read.body.source, read.body.extracted_data, read.body.analysis_level],
    ['completed', 'base64', body.extracted_data, 'quick'],
  );
});

test('an uploaded image is extracted by a saved schema, whose versions are kept', async () => {
  const saved = await client.post('/extraction-schemas', {
    name: `Receipt ${randomUUID()}`,
    schema: RECEIPT,
    prompt_hint: 'Amounts in dollars',
    status: 'draft',
  });
  assert.equal(saved.status, 201, JSON.stringify(saved.body));
  const { id, version, prompt_hint: hint } = saved.body;
  assert.deepEqual([version, hint], [1, 'Amounts in dollars']);
  const fileId = await client.ingest({ bytes: await receiptImage(), fields: { auto_describe: 'false' } });
  const first = await client.post('/extract', { file_id: fileId, custom_schema_id: id });
  assert.equal(first.status, 200, JSON.stringify(first.body));
  assert.equal(first.body.extracted_data.total, 13.5);
  assert.equal(first.body.citations, null);

  const schema = { ...RECEIPT, properties: { total: { type: 'number' } } };
  const changed = await client.request('PATCH', `/extraction-schemas/${id}`, {
    body: JSON.stringify({ schema }),
    headers: { 'Content-Type': 'application/json' },
  });
  assert.equal(changed.body.version, 2, JSON.stringify(changed.body));
  const old = await client.get(`/extraction-schemas/${id}?version=1`);
  assert.deepEqual(old.body.schema, RECEIPT);
  const again = await client.post('/extract', { file_id: fileId, custom_schema_id: id });
  assert.deepEqual(again.body.extracted_data, { total: 13.5 });
  for (const [extraction, number, followed] of [
    [first, 1, RECEIPT],
    [again, 2, schema],
  ] as const) {
    const { body } = await client.get(`/extractions/${extraction.body.extraction_id}`);
    assert.deepEqual([body.schema_id, body.schema_version, body.file_id], [id, number, fileId]);
    assert.deepEqual(body.schema, followed);
  }
  assert.equal((await client.request('DELETE', `/extraction-schemas/${id}`)).status, 204);
  const gone = await client.post('/extract', { file_id: fileId, custom_schema_id: id });
  assert.deepEqual([gone.status, gone.body.code], [400, 'CUSTOM_SCHEMA_NOT_FOUND']);
});

test('a document is read page by page', async () => {
  const fileId = await client.ingest({ bytes: invoiceDocument, filename: 'invoice.md' });
  await client.settled(fileId);
  const { status, body } = await client.post('/extract?citations=true', {
    file_id: fileId,
    schema: {
      type: 'object',
      properties: {
        invoice_number: { type: 'string' },
        line_items: {
          type: 'array',
          items: {
            type: 'object',
            properties: { description: { type: 'string' }, amount: { type: 'number' } },
            required: ['description', 'amount'],
          },
        },
      },
      required: ['invoice_number'],
    },
  });
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(body.extracted_data, {
    invoice_number: 'INV-2026-17',
    line_items: [
      { description: 'Widgets', amount: 12 },
      { description: 'Bolts', amount: 5 },
    ],
  });
  assert.match(body.citations['/invoice_number'].text, /INV-2026-17/);
});

test('without a model, values that were not found are null, with the reason', async () => {
  const properties = { ...RECEIPT.properties, vat_id: { type: 'string' } };
  const schema = { ...RECEIPT, properties, required: ['vat_id'] };
  const image = base64(await receiptImage());
  const { status, body } = await client.post('/extract', { image_base64: image, schema });
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(Object.keys(body.extracted_data).toSorted(), Object.keys(properties).toSorted());
  assert.deepEqual([body.extracted_data.vat_id, body.extracted_data.total !== null], [null, true]);
  assert.match(body.note, /read from labels/);
  const photograph = base64(demoImage('rocket.jpg'));
  const empty = await client.post('/extract', { image_base64: photograph, schema: RECEIPT });
  assert.equal(empty.status, 200, JSON.stringify(empty.body));
  assert.deepEqual(new Set(Object.values(empty.body.extracted_data)), new Set([null]));
  const { body: found } = await client.get(`/extractions/${empty.body.extraction_id}`);
  assert.deepEqual([found.status, found.note, found.error], ['completed', empty.body.note, null]);
});

test('invalid requests are refused with the codes of the contract', async () => {
  const image = { image_base64: base64(await receiptImage()) };
  const schema = { schema: RECEIPT };
  const cases: [string, Json, number, string, RegExp?][] = [
    ['no image', schema, 422, 'VALIDATION_FAILED', /image_url, image_base64, file_id/],
    ['two images', { ...image, file_id: randomUUID(), ...schema }, 422, 'VALIDATION_FAILED'],
    ['no schema', image, 422, 'VALIDATION_FAILED', /schema, custom_schema_id/],
    ['two schemas', { ...image, ...schema, custom_schema_id: randomUUID() }, 422, 'VALIDATION_FAILED'],
    ['a long prompt', { ...image, ...schema, prompt: 'x'.repeat(2001) }, 422, 'VALIDATION_FAILED'],
    ['an unknown field', { ...image, ...schema, model: 'x' }, 422, 'VALIDATION_FAILED'],
    ['a URL that is not HTTP', { image_url: 'ftp://example.com/x.png', ...schema }, 422, 'VALIDATION_FAILED'],
    [
      'an unknown analysis level',
      { ...image, ...schema, analysis_level: 'deep' },
      400,
      'INVALID_ANALYSIS_LEVEL',
    ],
    ['malformed base64', { image_base64: 'not base64!', ...schema }, 400, 'INVALID_BASE64'],
    [
      'base64 that is not an image',
      { image_base64: base64(Buffer.from('plain text')), ...schema },
      415,
      'UNSUPPORTED_MEDIA',
    ],
    ['an unknown file', { file_id: randomUUID(), ...schema }, 400, 'IMAGE_NOT_FOUND'],
    ['a malformed file id', { file_id: 'x', ...schema }, 400, 'IMAGE_NOT_FOUND'],
    ['an unknown saved schema', { ...image, custom_schema_id: randomUUID() }, 400, 'CUSTOM_SCHEMA_NOT_FOUND'],
    ['a schema', { ...image, schema: { type: 'array' } }, 400, 'INVALID_SCHEMA'],
  ];
  for (const [name, body, status, code, detail] of cases) {
    const answer = await client.post('/extract', body);
    assert.deepEqual(
      [answer.status, answer.body.code],
      [status, code],
      `${name}: ${JSON.stringify(answer.body)}`,
    );
    if (detail) assert.match(answer.body.detail, detail, name);
  }
  const bad = { type: 'object', properties: { a: { type: 'null' }, b: { $ref: '#' } } };
  const { body } = await client.post('/extract', { ...image, schema: bad });
  assert.deepEqual(
    body.errors.map(({ pointer }: Json) => pointer),
    ['/body/schema/properties/a/type', '/body/schema/properties/b', '/body/schema/properties/b/$ref'],
  );
  const validated = await client.post('/extraction-schemas/validate', { schema: bad });
  assert.equal(validated.status, 200);
  assert.deepEqual(
    validated.body.map(({ pointer, rule }: Json) => [pointer, rule]),
    [
      ['/properties/a/type', 'type'],
      ['/properties/b', 'type'],
      ['/properties/b/$ref', 'composition'],
    ],
  );
  const damaged = Buffer.concat([(await receiptImage()).subarray(0, 400), Buffer.alloc(200)]);
  const unreadable = await client.post('/extract', { image_base64: base64(damaged), ...schema });
  assert.deepEqual(
    [unreadable.status, unreadable.body.code],
    [422, 'IMAGE_UNREADABLE'],
    JSON.stringify(unreadable.body),
  );
});

test('a document without readable text is refused as a document', async () => {
  const bytes = Buffer.from('%PDF-1.7\nno page of a document\n');
  const fileId = await client.ingest({ bytes, filename: 'broken.pdf' });
  assert.equal((await client.settled(fileId)).primary_status, 'failed');
  const { status, body } = await client.post('/extract', { file_id: fileId, schema: RECEIPT });
  assert.deepEqual([status, body.code], [422, 'DOCUMENT_UNREADABLE'], JSON.stringify(body));
});

test('a repeat with the same Idempotency-Key returns the same extraction', async () => {
  const request = {
    body: JSON.stringify({ image_base64: base64(await receiptImage()), schema: RECEIPT }),
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() },
  };
  const first = await client.request('POST', '/extract', request);
  const second = await client.request('POST', '/extract', request);
  assert.equal(first.status, 200);
  assert.equal(second.body.extraction_id, first.body.extraction_id);
  assert.deepEqual(second.body.extracted_data, first.body.extracted_data);
});
