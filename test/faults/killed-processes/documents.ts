import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { test } from 'node:test';
import { CreditEntry } from '../../../db/entities/accounts/credit-entry.ts';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { creditsForPages } from '../../../domain/documents/page.ts';
import { reservationId, reservationIdsOf } from '../../../domain/accounts/credits.ts';
import { eventually, type Json } from '../../support/api.ts';
import { beginningOf, book, lineOf, minimalPdf } from '../../support/documents.ts';
import { own, TEMPORARY_FILES } from './stack.ts';
import { FILE_WORKFLOWS } from '../../../temporal/contract/process-file.ts';
import { STEP_WORKFLOW_IDS } from '../../../temporal/contract/digitize-document.ts';

/** Kills, deletions and external terminations while a document is read, chunked and indexed. */
const { stack, orm, engine } = own;
const { client, ingest, timeline } = await own.newTenant();

/** Takes seconds to read. */
const PAGES = 240;
/** Two pages with text, and one that needs OCR. */
const pagesAndDrawing = () => {
  const marked = minimalPdf([lineOf(1), lineOf(2), 'DRAWING']).toString('latin1');
  return Buffer.from(marked.replace('(DRAWING) Tj', '9 9 90 9 re f'), 'latin1');
};
const digitization = async (id: string): Promise<Json> =>
  (await client.get(`/files/${id}/digitization`)).body;

async function assertWhole(id: string, pages: number): Promise<void> {
  const { total_pages: total, completed_pages: completed, pages: all } = await digitization(id);
  assert.deepEqual([total, completed], [pages, pages]);
  const { body } = await client.get(`/files/${id}/text`);
  for (const page of all) {
    assert.deepEqual([page.element_count, page.source], [1, 'text_layer'], `page ${page.page_number}`);
    assert.equal(body.text.split(beginningOf(page.page_number)).length, 2);
  }
  const { body: chunks } = await client.get(`/files/${id}/chunks?include_embeddings=true`);
  assert.deepEqual(
    chunks.chunks.map(({ chunk_index: index, embedding }: Json) => [index, embedding?.length > 0]),
    Array.from({ length: chunks.total_chunks }, (_, at) => [at, true]),
  );
  const entries = await orm.em
    .fork()
    .find(
      CreditEntry,
      { reservationId: { $in: reservationIdsOf(id, 1) } },
      { orderBy: { reservationId: 'asc', closes: 'asc' } },
    );
  const beyond = creditsForPages(pages) - 1;
  assert.deepEqual(
    entries.map(({ kind, amount }) => `${kind} ${amount}`),
    ['reserve 2', 'spend 2', ...(beyond > 0 ? [`reserve ${beyond}`, `spend ${beyond}`] : [])],
  );
}

async function assertKept(id: string): Promise<void> {
  const { status, body } = await client.delete(`/files/${id}`);
  assert.deepEqual([status, body.code], [409, 'WORK_IN_PROGRESS']);
  const batch = await client.post('/files/batch-delete', { file_ids: [id] });
  assert.equal(batch.body.summary.failed, 1, JSON.stringify(batch.body));
  assert.equal((await client.get(`/files/${id}`)).status, 200);
}

test('a document whose workers are killed during reading and indexing completes, and cannot be deleted meanwhile', async () => {
  const id = await ingest(book(PAGES));
  await eventually(async () => assert.ok((await digitization(id)).completed_pages > 0));
  await stack.kill('worker-cpu');
  const { completed_pages: read } = await digitization(id);
  assert.ok(read < PAGES, 'the document was read before its worker could be killed');
  assert.match((await timeline(id)).explanation, new RegExp(`^Pages \\(${read} of ${PAGES} read\\) `));
  await assertKept(id);
  await stack.start('worker-cpu');

  await eventually(async () => assert.match((await timeline(id)).explanation, /^Search index running/), 120);
  await stack.kill('worker');
  await assertKept(id);
  await stack.start('worker');
  assert.equal((await client.settled(id, 120)).primary_status, 'completed');
  await assertWhole(id, PAGES);
});

test('a document is divided into each part once, although its worker is killed again and again', async () => {
  const count = 45;
  const id = await ingest(minimalPdf(Array.from({ length: count }, (_, at) => lineOf(at + 1))));
  await client.settled(id, 120);
  const ranges = Array.from({ length: count }, (_, at) => String(at + 1));
  const { status, body: begun } = await client.post(`/files/${id}/splits`, { ranges });
  assert.equal(status, 202, JSON.stringify(begun));
  const read = async (): Promise<Json> => (await client.get(`/splits/${begun.split_id}`)).body;
  for (const reached of [1, 21]) {
    await eventually(async () => assert.ok((await read()).stored_parts >= reached), 60);
    await stack.kill('worker-cpu');
    const { stored_parts: stored } = await read();
    assert.ok(stored < count, 'all parts were stored before the worker could be killed');
    await stack.start('worker-cpu');
  }
  const done = await eventually(async () => {
    const split = await read();
    assert.deepEqual([split.status, split.stored_parts], ['completed', count], JSON.stringify(split));
    return split;
  }, 180);
  const rows = await orm.em.fork().find(StoredFile, { parentFileId: id }, { orderBy: { createdAt: 'asc' } });
  assert.deepEqual(
    rows.map((row) => [row.id, row.parentPages]),
    done.parts.map(({ file_id: part, pages }: Json) => [part, pages]),
  );
  const reserved = await orm.em.fork().count(CreditEntry, {
    reservationId: { $in: rows.map((row) => reservationId(row.id, 1)) },
    closes: false,
  });
  assert.equal(reserved, count, 'each part is paid for once');
});

test('a worker removes the copies of documents that a killed one has left', async () => {
  const copies = () => globSync('*/documents-*/*', { cwd: TEMPORARY_FILES });
  await client.settled(await ingest(book(1)));
  const [left] = copies();
  assert.ok(left);
  await stack.kill('worker-cpu');
  assert.ok(copies().includes(left));
  await stack.start('worker-cpu');
  await client.settled(await ingest(book(2)));
  assert.ok(!copies().includes(left));
});

test('a document whose reading workflow is ended by an operator fails with the reason, and a retry reads the remaining pages', async () => {
  await stack.kill('worker-ocr');
  const ids = await Promise.all([1, 2, 3].map(() => ingest(pagesAndDrawing())));
  await eventually(async () => {
    for (const id of ids) assert.equal((await digitization(id)).completed_pages, 2);
  });
  const [terminated = '', cancelled = '', orphaned = ''] = ids;
  const reading = (id: string) => engine.client.workflow.getHandle(STEP_WORKFLOW_IDS.digitizeDocument(id));
  await reading(terminated).terminate('an operator said so');
  await reading(cancelled).cancel();
  await engine.client.workflow.getHandle(FILE_WORKFLOWS.of(orphaned)).terminate('an operator said so');
  const explained = async (id: string): Promise<string> => (await client.settled(id)).explanation;
  assert.match(await explained(terminated), /^Text extraction failed: the workflow was terminated/);
  assert.match(await explained(cancelled), /cancelled/);
  assert.match(await explained(orphaned), /failed: the workflow was terminated: an operator said so/);
  await stack.start('worker-ocr');
  for (const id of ids) assert.equal((await client.post(`/files/${id}/retry`, {})).status, 202);
  for (const id of ids) {
    assert.equal((await client.settled(id)).primary_status, 'completed');
    assert.equal((await digitization(id)).completed_pages, 3);
    assert.equal((await client.delete(`/files/${id}`)).status, 200);
  }
});
