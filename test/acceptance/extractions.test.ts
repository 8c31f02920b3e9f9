import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient, sharedRun, type Json } from '../support/api.ts';
import { demoImage } from '../support/images.ts';
import { screenshot } from '../support/images-of-text.ts';
import { bordered, productOnWhite } from '../support/product-images.ts';

/** Extractions, their review, and compliance, without a vision model. */
const client = createClient(sharedRun());
const stranger = createClient(sharedRun(), sharedRun().tenants.starter.api_key);

const review = (id: string, domain: string, body: unknown) =>
  client.patch(`/files/${id}/extractions/${domain}/review`, body);
const extractions = async (id: string): Promise<Json[]> =>
  (await client.get(`/files/${id}/extractions`)).body.extractions;
const extraction = async (id: string, domain: string): Promise<Json> =>
  (await extractions(id)).find((one) => one.domain_name === domain);

/** A screenshot with three lines of text, settled. */
async function dialog(): Promise<string> {
  const bytes = await screenshot().png().toBuffer();
  const id = await client.ingest({ bytes, fields: { content_category: 'screenshot' } });
  await client.settled(id);
  return id;
}
const shared = dialog();

test('a photograph without a category completes without an extraction', async () => {
  const id = await client.ingest({ bytes: demoImage('coffee.jpg') });
  const file = await client.settled(id);
  assert.deepEqual([file.primary_status, file.extraction_status], ['completed', 'skipped']);
  assert.deepEqual([file.extractions, file.compliance_status], [[], 'not_checked']);
  const { body } = await client.get(`/files/${id}/timeline`);
  assert.equal(body.runs[0].steps.length, 4);
});

test('without a model, a result names what was measured and what was not', async () => {
  const id = await shared;
  const file = await client.settled(id);
  assert.deepEqual([file.primary_status, file.extraction_status], ['completed', 'completed']);
  const found = await extractions(id);
  assert.deepEqual(file.extractions, found);
  assert.deepEqual(
    found.map(({ domain_name, status }) => [domain_name, status]),
    [
      ['layout_region', 'partial'],
      ['screenshot', 'partial'],
      ['text_regions', 'completed'],
    ],
  );
  const shot = await extraction(id, 'screenshot');
  assert.match(shot.reason, /^measured without a vision model; not looked for: application/);
  const { theme, application, items } = shot.result;
  assert.deepEqual([theme, application], ['light', null]);
  assert.deepEqual(
    items.map(({ kind, label, confidence }: Json) => [kind, label, confidence]),
    file.visible_text.split('\n').map((line: string) => ['text', line, null]),
  );
  assert.equal(shot.corrected_result, null);
});

test('a domain that only a model can assess is stored as not_assessed, without a result', async () => {
  const id = await client.ingest({ bytes: demoImage('rocket.jpg'), fields: { content_category: 'pid' } });
  await client.settled(id);
  const [legend, pid] = await extractions(id);
  assert.deepEqual(
    [legend, pid].map(({ domain_name, status, reason, result }) => [
      domain_name,
      status,
      reason,
      result.items,
    ]),
    ['legend', 'pid'].map((domain) => [domain, 'not_assessed', 'it needs a vision model', []]),
  );
});

test('a review is layered over the original, and concurrent reviews add up', async () => {
  const id = await dialog();
  const { result } = await extraction(id, 'text_regions');
  const first = await review(id, 'text_regions', {
    item_reviews: { 'items.0': 'confirmed', 'items.1': 'rejected' },
    field_edits: { 'items.1.text': 'Eighteen invoices' },
  });
  assert.equal(first.status, 200, JSON.stringify(first.body));
  assert.deepEqual(
    { ...first.body, updated_at: undefined },
    {
      image_id: id,
      domain_name: 'text_regions',
      corrections: {
        item_reviews: { 'items.0': 'confirmed', 'items.1': 'rejected' },
        field_edits: { 'items.1.text': 'Eighteen invoices' },
      },
      updated_at: undefined,
    },
  );
  const paths = ['x_min', 'y_min', 'x_max', 'y_max'].map((side) => `items.2.bounding_box.${side}`);
  const answers = await Promise.all(
    paths.map((path) => review(id, 'text_regions', { item_reviews: { [path]: 'confirmed' } })),
  );
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200, 200],
  );
  const after = await extraction(id, 'text_regions');
  assert.deepEqual(
    Object.keys(after.corrections.item_reviews).toSorted(),
    ['items.0', 'items.1', ...paths].toSorted(),
  );
  assert.deepEqual(after.result, result);
  assert.equal(after.corrected_result.items[1].text, 'Eighteen invoices');
  assert.equal(after.corrected_result.items[0].text, result.items[0].text);
  assert.equal(after.superseded_corrections, null);
});

test('corrections survive another extraction with the same findings', async () => {
  const id = await dialog();
  await review(id, 'layout_region', {
    field_edits: { 'items.0.title': 'Heading', 'items.0.kind': 'header' },
  });
  const retry = await client.post(`/files/${id}/retry`, { components: ['extraction'] });
  assert.deepEqual(retry.body.retried, ['extraction']);
  await client.settled(id);
  const { corrected_result: corrected, result, corrected_at } = await extraction(id, 'layout_region');
  assert.deepEqual([result.items[0].title, result.items[0].kind], [null, 'text_block']);
  assert.deepEqual([corrected.items[0].title, corrected.items[0].kind], ['Heading', 'header']);
  assert.ok(corrected_at);
});

const edit = (path: string, value: unknown = 'x') => ({ field_edits: { [path]: value } });
for (const [what, domain, body, status, code, named] of [
  ['an unknown domain', 'weather', edit('items'), 400, 'INVALID_DOMAIN', /architectural_design/],
  ['a domain without review', 'screenshot_', edit('items'), 400, 'INVALID_DOMAIN', /use one of/],
  ['an absent extraction', 'pid', edit('items'), 404, 'NOT_FOUND', /extraction not found/],
  [
    'a path beyond a list',
    'text_regions',
    edit('items.99.text'),
    400,
    'INVALID_CORRECTION',
    /items\.99\.text/,
  ],
  ['an invalid index', 'text_regions', edit('items.01.text'), 400, 'INVALID_CORRECTION', /items\.01/],
  ['a prototype', 'text_regions', edit('items.constructor'), 400, 'INVALID_CORRECTION', /constructor/],
  [
    'a value of another type',
    'text_regions',
    edit('items.0.text', { a: 1 }),
    400,
    'INVALID_CORRECTION',
    /items\.0\.text/,
  ],
  [
    'an unknown field',
    'text_regions',
    edit('items', [{ text: 'a', bounding_box: null, confidence: null, more: 1 }]),
    400,
    'INVALID_CORRECTION',
    /unknown fields/,
  ],
  ['no correction', 'text_regions', {}, 422, 'VALIDATION_FAILED', /at least one/],
  [
    'empty corrections',
    'text_regions',
    { item_reviews: {}, field_edits: null },
    422,
    'VALIDATION_FAILED',
    /at least one/,
  ],
  [
    'another verdict',
    'text_regions',
    { item_reviews: { items: 'maybe' } },
    422,
    'VALIDATION_FAILED',
    /item_reviews/,
  ],
  [
    'too many',
    'text_regions',
    {
      item_reviews: Object.fromEntries(Array.from({ length: 201 }, (_, at) => [`items.${at}`, 'confirmed'])),
    },
    422,
    'VALIDATION_FAILED',
    /at most 200/,
  ],
] as const) {
  test(`a review of ${what} is refused with ${status} ${code}`, async () => {
    const answer = await review(await shared, domain, body);
    assert.deepEqual([answer.status, answer.body.code], [status, code], JSON.stringify(answer.body));
    assert.match(answer.body.detail, named);
  });
}

test('a key named __proto__ changes nothing', async () => {
  const id = await shared;
  const answer = await client.request('PATCH', `/files/${id}/extractions/text_regions/review`, {
    body: '{"field_edits":{"__proto__":{"polluted":true},"items.0.__proto__.polluted":true}}',
    headers: { 'Content-Type': 'application/json' },
  });
  assert.ok(answer.status >= 400 && answer.status < 500, JSON.stringify(answer.body));
  assert.equal((await client.get(`/files/${id}`)).body.polluted, undefined);
});

test('a document has no extractions, and those of a foreign image can be neither read nor reviewed', async () => {
  const id = await client.ingest({ bytes: Buffer.from('# A manual\n\nOf a pump.\n'), filename: 'a.md' });
  assert.equal((await client.get(`/files/${id}/extractions`)).status, 400);
  const answer = await review(id, 'text_regions', edit('items'));
  assert.deepEqual([answer.status, answer.body.code], [400, 'WRONG_MEDIA_TYPE']);
  const foreign = await stranger.patch(
    `/files/${await shared}/extractions/text_regions/review`,
    edit('items'),
  );
  assert.equal(foreign.status, 404);
});

/** Uploads an image for a compliance check; returns its file and the verdict of each rule. */
async function checked(bytes: Buffer, fields: Record<string, string>) {
  const id = await client.ingest({ bytes, fields });
  const file = await client.settled(id);
  const { items } = (await extraction(id, `${fields['compliance_type']}_compliance`)).result;
  const verdicts = Object.fromEntries(items.map((item: Json) => [item.rule, item.verdict]));
  return { id, file, items, verdicts };
}
const amazon = { compliance_type: 'marketplace', compliance_standard: 'amazon' };

test('the rules of a standard are measured, and those that cannot be measured are not_checked', async () => {
  const { id, file, verdicts, items } = await checked(await productOnWhite().jpeg().toBuffer(), amazon);
  assert.deepEqual([file.extraction_status, file.compliance_status], ['completed', 'passed']);
  assert.deepEqual(verdicts, {
    formats: 'passed',
    min_longest_side: 'passed',
    max_longest_side: 'passed',
    white_background: 'passed',
    subject_size: 'passed',
    no_border: 'passed',
    no_text_overlay: 'passed',
    no_watermark: 'not_checked',
    product_only: 'not_checked',
    real_photograph: 'not_checked',
  });
  const [size] = items.filter(({ rule }: Json) => rule === 'min_longest_side');
  assert.deepEqual(
    [size.expected, size.measured, size.method],
    ['longest side of at least 1000 pixels', '1200 pixels', 'measured'],
  );
  const { body } = await client.get('/files?compliance_status=passed&limit=100');
  assert.ok(body.items.some((item: Json) => item.id === id));
});

test('a border and a height that is too small each fail their rule', async () => {
  const bytes = await bordered(24).jpeg({ quality: 85 }).toBuffer();
  const { file, verdicts } = await checked(bytes, { ...amazon, compliance_standard: 'eBay' });
  assert.equal(file.compliance_status, 'failed');
  assert.deepEqual([verdicts['min_longest_side'], verdicts['no_border']], ['passed', 'failed']);

  const listing = await screenshot().png().toBuffer();
  const mls = await checked(listing, { compliance_type: 'mls', compliance_standard: 'general' });
  assert.deepEqual([mls.verdicts['min_width'], mls.verdicts['min_height']], ['passed', 'failed']);
  assert.equal(mls.verdicts['no_text_overlay'], 'not_checked');
});

test('a secondary image need not have a white background', async () => {
  const bytes = await productOnWhite(1200, '#88a').jpeg().toBuffer();
  assert.equal((await checked(bytes, amazon)).verdicts['white_background'], 'failed');
  const { verdicts, file } = await checked(bytes, { ...amazon, compliance_image_type: 'secondary' });
  assert.deepEqual([verdicts['white_background'], file.compliance_status], [undefined, 'passed']);
});

test('compliance is also checked without a description', async () => {
  const bytes = await productOnWhite(600).png().toBuffer();
  const { file, verdicts } = await checked(bytes, { ...amazon, auto_describe: 'false' });
  assert.deepEqual([file.description_status, file.extraction_status], ['skipped', 'completed']);
  assert.deepEqual([verdicts['min_longest_side'], file.compliance_status], ['failed', 'failed']);
});

test('an unknown standard is refused with a list of the known ones, in a form and in JSON', async () => {
  const fields = { compliance_type: 'mls', compliance_standard: 'amazon' };
  const form = await client.upload({ bytes: demoImage('coffee.jpg'), fields });
  const body = await client.post('/files/direct-uploads', {
    ...fields,
    filename: 'a.jpg',
    content_type: 'image/jpeg',
    size_bytes: 1000,
  });
  for (const [answer, pointer] of [
    [form, '/form/compliance_standard'],
    [body, '/body/compliance_standard'],
  ] as const) {
    assert.equal(answer.status, 422, JSON.stringify(answer.body));
    const [error] = answer.body.errors.filter((one: Json) => one.pointer === pointer);
    assert.equal(error?.message, 'unknown; the standards for mls are general, stellar_mls');
  }
});
