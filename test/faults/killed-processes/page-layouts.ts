import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { Tenant } from '../../../db/entities/accounts/tenant.ts';
import { DocumentPage } from '../../../db/entities/documents/document-page.ts';
import type { LayoutChoice } from 'darkroom-reader/document';
import { UsageEvent } from '../../../db/entities/usage/usage-event.ts';
import { findStuckFiles } from '../../../services/processing/find-stuck-files.ts';
import { eventually, type Json } from '../../support/api.ts';
import { replies, type ModelReply } from '../../support/model-server.ts';
import { lineOf, minimalPdf } from '../../support/documents.ts';
import { scannedPdf } from '../../support/scans.ts';
import { own } from './stack.ts';
import { STEP_WORKFLOW_IDS } from '../../../temporal/contract/digitize-document.ts';

/**
 * Layout of scans by a model that answers, refuses, invents words, or is down, and whose worker is killed.
 */
const { stack, model, orm, engine } = own;
const { client, tenantId, ingest, timeline } = await own.newTenant();

/** Two rows of two cells, which are too few for the rules to detect a table. */
const stock = (goods: string) => [
  { text: `Inventory of the ${goods}`, x: 120, y: 140, size: 44 },
  { text: 'Anchors', x: 120, y: 300, size: 30 },
  { text: 'seventeen', x: 620, y: 300, size: 30 },
  { text: 'Ropes', x: 120, y: 380, size: 30 },
  { text: 'uncounted', x: 620, y: 380, size: 30 },
];

interface Notes {
  page: number;
  pages: number;
  lines: { n: number; text: string; box: number[] }[];
}
const notesOf = (body: unknown): Notes =>
  JSON.parse((body as Json).messages[1].content[0].text.split('Notes: ')[1]) as Notes;
const isLayout = (body: unknown) => (body as Json).response_format?.json_schema.name === 'page_layout';
const layoutsOf = (page: number, since: number) =>
  model.requests.slice(since).filter(({ body }) => isLayout(body) && notesOf(body).page === page).length;

const PLAIN = { role: null, starts: [], rows: [], box: null };
/** Replies with the first line as a heading and the others as a table of two columns. */
const asTable =
  (change = (cell: string) => cell): ModelReply =>
  (response, request) => {
    const [title, ...cells] = notesOf(request.body).lines;
    const rows = [cells.slice(0, 2), cells.slice(2)].map((row) => row.map(({ text }) => change(text)));
    const elements = [
      { ...PLAIN, type: 'heading', lines: [title?.n] },
      { ...PLAIN, type: 'table', lines: cells.map(({ n }) => n), rows },
    ];
    replies.content(JSON.stringify({ elements }))(response, request);
  };
const TABLE = '| Anchors | seventeen |\n| --- | --- |\n| Ropes | uncounted |';
const refusal = replies.content(null, { refusal: 'no' });

/** Replies to layout requests by page, by default as tables, and to description requests with `others`. */
function answer(
  context: TestContext,
  pages: Readonly<Record<number, ModelReply>> = {},
  others = replies.ok(),
) {
  model.otherwise((response, request) => {
    const reply = isLayout(request.body) ? (pages[notesOf(request.body).page] ?? asTable()) : others;
    reply(response, request);
  });
  context.after(() => model.otherwise(replies.ok()));
}

const pagesOf = async (id: string): Promise<Json[]> =>
  (await client.get(`/files/${id}/digitization`)).body.pages;
const readPages = async (bytes: Buffer, filename: string): Promise<Json[]> => {
  const id = await client.ingest({ bytes, filename });
  assert.equal((await client.settled(id, 120)).primary_status, 'completed');
  return pagesOf(id);
};
const attemptsOf = async (fileId: string) => {
  const rows = await orm.em.fork().find(DocumentPage, { fileId }, { orderBy: { pageNumber: 'asc' } });
  return rows.map(({ attempts }) => attempts);
};
const summariesOf = async (id: string): Promise<string> => {
  const { workflow } = engine.client;
  const { events } = await workflow.getHandle(STEP_WORKFLOW_IDS.digitizeDocument(id)).fetchHistory();
  return (events ?? [])
    .map(({ userMetadata }) => Buffer.from(userMetadata?.summary?.data ?? []).toString())
    .join('\n');
};

/** A page with a text layer: a title and two rows of two cells. */
const stockPage = (goods: string): string =>
  `Inventory of the ${goods}) Tj 0 -40 Td (Anchors) Tj 250 0 Td (seventeen) Tj -250 -40 Td (Ropes) Tj 250 0 Td (uncounted`;

test('a model lays out the pages of which the rules are unsure, or all, or none, as the tenant chose', async (context) => {
  answer(context);
  const read = async (pageLayout: LayoutChoice, goods: string) => {
    await orm.em.fork().nativeUpdate(Tenant, tenantId, { pageLayout });
    const since = model.requests.length;
    const pages = await readPages(minimalPdf([stockPage(goods), `${lineOf(1)}, ${goods}`]), `${goods}.pdf`);
    return { pages, asked: [1, 2].map((page) => layoutsOf(page, since)) };
  };
  context.after(() => orm.em.fork().nativeUpdate(Tenant, tenantId, { pageLayout: 'auto' }));
  const contents = (page: Json) => page.elements.map(({ type, content }: Json) => [type, content]);

  const { pages, asked } = await read('auto', 'quay');
  const [unsure, sure] = pages;
  assert.deepEqual(asked, [1, 0]);
  assert.deepEqual(contents(unsure), [
    ['heading', 'Inventory of the quay'],
    ['table', TABLE],
  ]);
  assert.deepEqual([unsure.source, unsure.layout.provider], ['text_layer', 'openai']);
  assert.deepEqual([sure.layout.confidence, sure.layout.provider], [1, 'local']);

  const { asked: always } = await read('always', 'mole');
  assert.deepEqual(always, [1, 1]);
  const { pages: byRules, asked: never } = await read('rules', 'pier');
  assert.deepEqual(never, [0, 0]);
  assert.equal(byRules[0].layout.confidence, unsure.layout.confidence);
});

test('a model lays out a scan using only its recognised words, and the rules lay out pages that the model cannot', async (context) => {
  const since = model.requests.length;
  answer(context, { 2: asTable((cell) => `${cell} or so`), 3: refusal });
  const id = await ingest(await scannedPdf(['harbour', 'shed', 'boat'].map(stock)));
  const file = await client.settled(id, 120);
  assert.equal(file.primary_status, 'completed', JSON.stringify(file));

  const [first, second, third] = await pagesOf(id);
  assert.deepEqual(
    first.elements.map(({ type, content }: Json) => [type, content]),
    [
      ['heading', 'Inventory of the harbour'],
      ['table', TABLE],
    ],
  );
  const { x, y, w, h } = first.elements[1].bounding_box;
  assert.ok(x > 0.05 && y > 0.2 && x + w < 0.95 && y + h < 0.6, JSON.stringify(first.elements[1]));
  assert.deepEqual(first.layout, {
    provider: 'openai',
    model: 'gpt-4o-mini',
    prompt_version: 'lay-out-page-v2',
    confidence: first.layout.confidence,
    is_due: false,
    error_message: null,
  });
  const byRules = { provider: 'local', model: 'reader-v1', prompt_version: null, is_due: false };
  const { error_message: invented, confidence, ...rules } = second.layout;
  assert.deepEqual(rules, byRules);
  assert.ok(confidence > 0 && confidence < 0.8, `unsure of labels without a table: ${confidence}`);
  assert.match(invented, /another shape .*words are not those of its lines.*, twice$/);
  assert.deepEqual(third.layout, {
    ...byRules,
    confidence: third.layout.confidence,
    error_message: 'the model refused to answer',
  });
  for (const page of [second, third]) {
    assert.equal(page.status, 'completed');
    const text = page.elements.map(({ content }: Json) => content).join(' ');
    assert.match(text, /Anchors.*seventeen.*Ropes.*uncounted/s);
    assert.doesNotMatch(text, /or so/);
  }

  assert.deepEqual(
    [1, 2, 3].map((page) => layoutsOf(page, since)),
    [1, 2, 1],
  );
  const [request] = model.requests.slice(since).filter(({ body }) => isLayout(body));
  assert.ok(request);
  const [, image] = (request.body as Json).messages[1].content;
  assert.match(image.image_url.url, /^data:image\/jpeg;base64,/);
  const { lines } = notesOf(request.body);
  assert.ok(lines.every(({ box }) => box.every((side) => side > 0 && side < 1)));
  assert.match(await summariesOf(id), /^"Page 1 of 3: layout by openai"$/m);

  const events = await orm.em.fork().find(UsageEvent, { fileId: id }, { orderBy: { inputTokens: 'asc' } });
  assert.deepEqual(
    events
      .map(({ type, provider, errorCode, inputTokens, credits }) =>
        [type, provider, errorCode, inputTokens, credits].join(' '),
      )
      .toSorted(),
    [
      'describe openai  1200 1',
      'digitize local  0 1',
      'digitize openai  1200 0',
      'digitize openai MODEL_INVALID_ANSWER 2400 0',
      'digitize openai MODEL_REFUSED 1200 0',
    ],
  );

  // The description is based on the pages as the model laid them out.
  assert.equal(file.upload_description, 'A red bicycle leans on a wall.');
  const [description] = file.full_descriptions;
  assert.deepEqual([description.provider, description.prompt_version], ['openai', 'describe-document-v1']);
  const asked = model.requests.slice(since).findLast(({ body }) => !isLayout(body));
  assert.ok(asked);
  assert.match((asked.body as Json).messages[1].content[0].text, /"headings":\["Inventory of the harbour"/);

  // A single page can be laid out again.
  answer(context);
  const before = model.requests.length;
  assert.equal((await client.post(`/files/${id}/retry`, { pages: [2] })).status, 202);
  assert.equal((await client.settled(id, 120)).primary_status, 'completed');
  const again = await pagesOf(id);
  assert.deepEqual([again[0], again[2]], [first, third]);
  assert.equal(again[1]?.elements[1].content, TABLE);
  assert.deepEqual(
    [1, 2, 3].map((page) => layoutsOf(page, before)),
    [0, 1, 0],
  );
  assert.deepEqual(await attemptsOf(id), [1, 2, 1]);
});

test('an outage of the model and a killed worker pause the layout: the text is available, and no page is recognised twice', async (context) => {
  answer(context, { 1: replies.error(500), 2: replies.error(500) });
  const id = await ingest(await scannedPdf([stock('pier'), stock('quay')]));
  await eventually(async () => {
    assert.match(
      (await timeline(id)).explanation,
      /^Pages \(2 of 2 read, 2 to be laid out\) waiting: the model endpoint answered 500/,
    );
  }, 90);
  await eventually(async () => {
    const deps = { em: orm.em.fork(), engine, visionProviders: [] };
    const { stuck } = await findStuckFiles(deps, tenantId, { patienceMs: 1000, limit: 10 });
    assert.deepEqual(
      stuck.map((status) => [status.file.id, status.stuck?.cause]),
      [[id, 'waiting_external']],
    );
  });
  for (const { layout, elements } of await pagesOf(id)) {
    assert.deepEqual([layout.provider, layout.is_due], ['local', true]);
    assert.ok(elements.length > 0);
  }
  assert.match((await client.get(`/files/${id}/text`)).body.text, /Inventory of the pier/);

  const asked = Promise.withResolvers<void>();
  answer(context, { 1: () => asked.resolve(), 2: replies.hang() });
  await asked.promise;
  await stack.kill('worker');
  answer(context);
  await stack.start('worker');
  assert.equal((await client.settled(id, 120)).primary_status, 'completed');
  for (const { layout, elements } of await pagesOf(id))
    assert.deepEqual([layout.provider, elements[1].content], ['openai', TABLE]);
  assert.deepEqual(await attemptsOf(id), [1, 1]);
});

test('no page is sent to a provider that the tenant does not allow, or no longer allows', async (context) => {
  answer(context, { 1: replies.error(500) });
  const careful = await own.newTenant();
  const id = await careful.ingest(await scannedPdf([stock('dock')]));
  await eventually(async () => {
    assert.match((await careful.timeline(id)).explanation, /1 to be laid out\) waiting: .* 500/);
  }, 90);
  await orm.em.fork().nativeUpdate(Tenant, careful.tenantId, { allowedVlmProviders: ['anthropic'] });
  const asked = async () => {
    const bodies = model.requests.map(({ body }) => JSON.stringify(body));
    return bodies.filter((body) => /Inventory of the (dock|mole)/.test(body)).length;
  };
  const settled = async (fileId: string) => {
    const file = await careful.client.settled(fileId, 120);
    const { body } = await careful.client.get(`/files/${fileId}/digitization/pages/1`);
    const { provider, is_due: due, error_message: error } = body.layout;
    assert.deepEqual([file.primary_status, provider, due, error], ['completed', 'local', false, null]);
    assert.match(file.upload_description, /^PDF, 1 page/);
  };
  await settled(id);
  const before = await asked();
  await settled(await careful.ingest(await scannedPdf([stock('mole')])));
  assert.equal(await asked(), before);
});
