import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, test } from 'node:test';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { CreditEntry } from '../../../db/entities/accounts/credit-entry.ts';
import { Tenant } from '../../../db/entities/accounts/tenant.ts';
import { WebhookEvent } from '../../../db/entities/webhooks/webhook-event.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { eventually, sharedRun, type Client, type Json } from '../../support/api.ts';
import { minimalPdf } from '../../support/documents.ts';
import { createOwnTenant } from '../../support/own-tenant.ts';
import { article, articleHtml } from '../../support/web-pages.ts';
import { pages, startWebSite } from '../../support/web-site.ts';
import { subscribe } from '../../support/webhooks.ts';

/** Links in features that all media share: batches, events, exports, credits, explanations. */
const run = sharedRun();
const orm = createOrm(readConfig([databaseConfig], process.env));
const site = await startWebSite('127.0.0.1');
after(async () => {
  await site.stop();
  await orm.close(true);
});
const newTenant = () => createOwnTenant(orm, run);

async function add(client: Client, path: string, fields: Json = { auto_describe: false }): Promise<string> {
  const { status, body } = await client.post('/files/links', { url: site.url(path), ...fields });
  assert.equal(status, 202, JSON.stringify(body));
  return body.file_id;
}

async function addBatch(client: Client, paths: string[]): Promise<{ id: string; ids: string[] }> {
  const { status, body } = await client.post('/files/links/batch', {
    auto_describe: false,
    links: paths.map((path) => ({ url: site.url(path) })),
  });
  assert.equal(status, 202, JSON.stringify(body));
  return { id: body.session_id, ids: body.immediate_results.map(({ file_id: id }: Json) => id) };
}

/** The rows of a CSV file. */
function parseCsv(csv: string): string[][] {
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/y;
  const rows: string[][] = [[]];
  for (let match = cell.exec(csv); match && match[0] !== ''; match = cell.exec(csv)) {
    rows.at(-1)?.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    if (match[3] === '\r\n') rows.push([]);
  }
  return rows.slice(0, -1);
}

/** A page whose response the test writes. */
function heldPage(path: string): { asked: Promise<ServerResponse> } {
  const { promise: asked, resolve } = Promise.withResolvers<ServerResponse>();
  site.serve(path, (response) => resolve(response));
  return { asked };
}

const answerPage = (response: ServerResponse, title: string) =>
  response.writeHead(200, { 'content-type': 'text/html' }).end(articleHtml({ title }));

// The drip takes three timeouts, which pass during the other tests.
site.serve('/drip', pages.drip(Buffer.from('<!doctype html><html><body>')));
const dripping = newTenant().then(async ({ client }) => ({ client, id: await add(client, '/drip') }));

test('export columns have the data of a link, whether it was crawled or not', async () => {
  const { client } = await newTenant();
  site.serve(
    '/lamps',
    article({
      title: 'Lamps at night',
      head: '<meta name="author" content="A. Keeper">',
      body: '<img src="/a.png" width="640" height="480">',
    }),
  );
  const crawled = await add(client, '/lamps', { tags: ['tower'] });
  const missing = await add(client, '/missing?a=b');
  const page = await client.settled(crawled);
  await client.settled(missing);
  const columns = (
    'title media_type source_url domain language description document_title document_author extracted_text ' +
    'chunk_count extracted_images_count tags crawl_status primary_status'
  ).split(' ');
  const { status, body } = await client.post('/files/export', {
    format: 'csv',
    columns: columns.map((field_key) => ({ field_key, display_name: field_key })),
    file_ids: [crawled, missing],
  });
  assert.equal(status, 200, JSON.stringify(body));
  const [header, ...rows] = parseCsv(await (await fetch(body.download_url)).text());
  assert.deepEqual(header, columns);
  const records: Json[] = rows.map((cells) => Object.fromEntries(columns.map((key, at) => [key, cells[at]])));
  assert.deepEqual(
    records.toSorted((a, b) => a.crawl_status.localeCompare(b.crawl_status)),
    [
      {
        title: 'Lamps at night',
        media_type: 'link',
        source_url: site.url('/lamps'),
        domain: '127.0.0.1',
        language: 'en',
        description: page.upload_description,
        document_title: 'Lamps at night',
        document_author: 'A. Keeper',
        // A spreadsheet may take a line for a cell, and a sign at its start for a formula.
        extracted_text: page.text.replaceAll('\n- ', "\n'- "),
        chunk_count: String(page.chunk_count),
        extracted_images_count: '1',
        tags: page.tags.join(', '),
        crawl_status: 'completed',
        primary_status: 'completed',
      },
      {
        ...Object.fromEntries(columns.map((key) => [key, ''])),
        title: records.find(({ crawl_status }) => crawl_status === 'failed').title,
        media_type: 'link',
        source_url: site.url('/missing?a=b'),
        domain: '127.0.0.1',
        crawl_status: 'failed',
        primary_status: 'failed',
      },
    ],
  );
});

test('while a site answers 503, the explanation names the cause and the next attempt', async () => {
  const { client } = await newTenant();
  site.serve('/busy', (response) => void response.writeHead(503, { 'retry-after': '120' }).end());
  const id = await add(client, '/busy');
  const reason = /^Page waiting: the site answered 503, attempt 2, next try \d\d:\d\d:\d\d UTC\.$/;
  await eventually(async () => assert.match((await client.get(`/files/${id}`)).body.explanation, reason));
  const { body: timeline } = await client.get(`/files/${id}/timeline`);
  assert.match(timeline.explanation, reason);
  assert.equal((await client.delete(`/files/${id}`)).status, 200);
});

test('events of links: created, completed, failed, and completed as a document', async () => {
  const { client, tenantId } = await newTenant();
  await subscribe(orm, { tenantId });
  site.serve('/fine', article({ title: 'Fine' }));
  site.serve('/paper.pdf', pages.of(minimalPdf(['A paper behind a link'])));
  const fine = await add(client, '/fine');
  const failed = await add(client, '/nothing');
  const paper = await add(client, '/paper.pdf');
  const eventsOf = async (id: string) =>
    (
      await orm.em
        .fork()
        .find(WebhookEvent, { tenantId, data: { file_id: id } }, { orderBy: { createdAt: 'asc' } })
    ).map(({ type, data }) => [type, (data as Json).media_type, (data as Json).status]);
  const expected = {
    [fine]: [
      ['file.created', 'link', 'pending'],
      ['file.completed', 'link', 'completed'],
    ],
    [failed]: [
      ['file.created', 'link', 'pending'],
      ['file.failed', 'link', 'failed'],
    ],
    [paper]: [
      ['file.created', 'link', 'pending'],
      ['file.completed', 'document', 'completed'],
    ],
  };
  for (const [id, events] of Object.entries(expected))
    await eventually(async () => assert.deepEqual(await eventsOf(id), events));
});

test('a batch counts a link that became a document once, as a document', async () => {
  const { client } = await newTenant();
  site.serve('/one', article({ title: 'One' }));
  site.serve('/report.pdf', pages.of(minimalPdf(['The report of a batch'])));
  const { id, ids } = await addBatch(client, ['/one', '/report.pdf', '/absent']);
  const session = await client.sessionEnded(id);
  assert.deepEqual(
    [session.status, session.total_files, session.completed_files, session.failed_files],
    ['completed', 3, 2, 1],
    JSON.stringify(session),
  );
  const { body: results } = await client.get(`/files/sessions/${id}/results`);
  assert.deepEqual(
    results.results.map(({ file_id, status }: Json) => [ids.indexOf(file_id), status]),
    [
      [0, 'completed'],
      [1, 'completed'],
      [2, 'failed'],
    ],
  );
  const { body: report } = await client.get(`/files/${ids[1]}`);
  assert.deepEqual(
    [report.media_type, report.filename, report.source_url, report.extracted_text],
    ['document', 'report.pdf', site.url('/report.pdf'), 'The report of a batch'],
  );
});

test('a link to a document beyond the credits of its tenant fails with the shortfall, and is converted later', async () => {
  const { client, tenantId } = await newTenant();
  const limit = (maxMonthlyCredits: number) =>
    orm.em.fork().nativeUpdate(Tenant, tenantId, { maxMonthlyCredits });
  const ledger = async () =>
    (
      await orm.em.fork().find(CreditEntry, { tenantId }, { orderBy: { createdAt: 'asc', closes: 'asc' } })
    ).map(({ kind, amount }) => `${kind} ${amount}`);
  await limit(1);
  site.serve('/dear.pdf', pages.of(minimalPdf(['A dear paper'])));
  const id = await add(client, '/dear.pdf', {});
  const link = await client.settled(id);
  assert.deepEqual(
    [link.media_type, link.primary_status, link.crawl_error],
    ['link', 'failed', '2 credits needed, 1 of 1 left this month (1 short)'],
  );
  const { body: timeline } = await client.get(`/files/${id}/timeline`);
  assert.equal(timeline.components.crawl.error.code, 'QUOTA_EXHAUSTED');
  assert.equal(
    (await client.follow(`/files/${id}/download`)).bytes.toString(),
    `${site.url('/dear.pdf')}\r\n`,
  );
  assert.deepEqual(await ledger(), ['reserve 1', 'refund 1']);

  await limit(2);
  assert.equal((await client.post(`/files/${id}/retry`, {})).status, 202);
  const document = await eventually(async () => {
    const file = await client.settled(id);
    assert.deepEqual([file.media_type, file.primary_status], ['document', 'completed'], file.explanation);
    return file;
  });
  assert.equal(document.extracted_text, 'A dear paper');
  assert.deepEqual((await ledger()).slice(2), ['reserve 1', 'refund 1', 'reserve 2', 'spend 2']);
});

test('a paused batch of links stops crawling, and completes after it is resumed', async () => {
  const { client } = await newTenant();
  const paths = ['/held/1', '/held/2', '/held/3'];
  const held = paths.map(heldPage);
  const { id, ids } = await addBatch(client, paths);
  const responses = await Promise.all(held.map(({ asked }) => asked));
  assert.equal((await client.post(`/files/sessions/${id}/pause`, {})).body.paused, true);
  for (const [at, response] of responses.entries()) answerPage(response, `Held ${at}`);
  for (const file of ids)
    await eventually(async () => {
      const { body } = await client.get(`/files/${file}`);
      assert.match(body.explanation, /^The file is paused with its upload session since /);
      assert.equal(body.crawl_status, 'processing');
    });
  assert.equal((await client.post(`/files/sessions/${id}/resume`, {})).status, 200);
  const session = await client.sessionEnded(id);
  assert.deepEqual([session.status, session.completed_files], ['completed', 3]);
});

test('a cancelled batch of links closes its connections immediately, and costs nothing', async () => {
  const { client, tenantId } = await newTenant();
  const paths = ['/stalled/1', '/stalled/2'];
  const held = paths.map(heldPage);
  const { id, ids } = await addBatch(client, paths);
  const responses = await Promise.all(held.map(({ asked }) => asked));
  const left = responses.map((response) => new Promise((resolve) => response.once('close', resolve)));
  const { body: cancelled } = await client.post(`/files/sessions/${id}/cancel`, {});
  assert.equal(cancelled.status, 'cancelled');
  await Promise.all(left);
  for (const file of ids) {
    const settled = await client.settled(file);
    assert.deepEqual(
      [settled.primary_status, settled.crawl_status, settled.explanation],
      ['failed', 'skipped', 'The work was cancelled; what was done by then is kept.'],
    );
  }
  const open = await orm.em.fork().count(CreditEntry, { tenantId, kind: 'spend' });
  assert.equal(open, 0);
});

test('a link to a site that drips ends failed, with the reason', async () => {
  const { client, id } = await dripping;
  const file = await client.settled(id, 90);
  assert.equal(file.primary_status, 'failed');
  assert.match(file.crawl_error, /^the site did not answer completely within \d+ seconds, 3 times$/);
});
