import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { encryptionConfig } from '../../../adapters/encryption/config.ts';
import { createSecretCipher } from '../../../adapters/encryption/secret-cipher.ts';
import { s3Config } from '../../../adapters/object-store/config.ts';
import type { ObjectStore } from '../../../adapters/object-store/object-store.ts';
import { createS3ObjectStore } from '../../../adapters/object-store/s3-object-store.ts';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { DataExport } from '../../../db/entities/exports/export.ts';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { FILE_COLUMNS } from '../../../domain/exports/file-columns.ts';
import type { FilesSpec, HistorySpec } from '../../../domain/exports/spec.ts';
import { exportKey } from '../../../domain/object-keys.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { cleanExport, discardExport } from '../../../services/exports/end-export.ts';
import { createExport } from '../../../services/exports/create-export.ts';
import { exportWork } from '../../../services/exports/export-work.ts';
import { writeExport } from '../../../services/exports/write-export.ts';
import { createEngine } from '../../../temporal/client.ts';
import { temporalConfig } from '../../../temporal/config.ts';
import { createClient, eventually, sharedRun } from '../../support/api.ts';
import { ingestImage } from '../../support/ingest-image.ts';
import { createOwnTenant, type OwnTenant } from '../../support/own-tenant.ts';
import { startReplica } from '../../support/replica.ts';
import { removeSeeded, seedDescriptions } from '../../support/seed-descriptions.ts';
import { openTableReaders } from '../../support/table-readers.ts';
import { EXPORT_WORKFLOWS } from '../../../temporal/contract/export-data.ts';

const run = sharedRun();
const config = readConfig([databaseConfig, s3Config, encryptionConfig, temporalConfig], process.env);
const orm = createOrm(config);
const engine = createEngine(config);
const objects = createS3ObjectStore(config);
const cipher = createSecretCipher(config);
/** Two parts, of which the second is the last. */
const RECORDS = 7_000;
/** A tenant with this many described files. */
let seeded: OwnTenant;
before(async () => {
  seeded = await createOwnTenant(orm, run);
  await seedDescriptions(orm, seeded.tenantId, RECORDS);
});
after(async () => {
  await removeSeeded(orm, seeded.tenantId);
  await engine.close();
  await orm.close(true);
});
const CALLER = {
  credential: { kind: 'api_key', keyId: '00000000', scopes: null },
  ipAddress: '127.0.0.1',
} as const;
const HISTORY: HistorySpec = {
  filter: {},
  fields: ['id', 'image_id', 'created_at', 'description'],
  includeMetadata: false,
  includeFailed: false,
  limit: 100_000,
};

async function begin(tenantId: string, wanted: Pick<DataExport, 'kind' | 'format' | 'spec'>) {
  const target = { exportId: randomUUID(), tenantId };
  await createExport(orm.em.fork(), target, wanted, CALLER);
  // The test writes it, not a workflow.
  await orm.em.fork().nativeUpdate(DataExport, { id: target.exportId }, { engineDueAt: null });
  return target;
}

const write = (target: { exportId: string; tenantId: string }, through: ObjectStore = objects) =>
  writeExport({ em: orm.em.fork(), objects: through, cipher, sheets: undefined }, target, {
    signal: new AbortController().signal,
    onProgress: () => undefined,
  });

const read = (target: { exportId: string; tenantId: string }) =>
  objects.read(exportKey(target.tenantId, target.exportId), { maxBytes: 100_000_000 });

test('an interrupted export continues after its last part, without a duplicate or missing record', async () => {
  const { tenantId } = seeded;
  const target = await begin(tenantId, { kind: 'descriptions', format: 'jsonl', spec: HISTORY });
  let uploaded = 0;
  const breaking: ObjectStore = {
    ...objects,
    async uploadPart(...args) {
      uploaded += 1;
      if (uploaded === 2) throw new Error('the worker is gone');
      return objects.uploadPart(...args);
    },
  };
  await assert.rejects(write(target, breaking), /the worker is gone/);
  // Files created after its start are not in it.
  const late = await ingestImage(orm.em.fork(), tenantId);
  await orm.em.fork().execute(
    `insert into file_descriptions (file_id, generation, provider, model, prompt_version, description, tags, input_tokens,
       output_tokens, created_at) values (?, 1, 'local', 'test', 'none', 'late', '{}', 0, 0, now())`,
    [late.id],
  );
  assert.equal(await write(target), RECORDS);
  const lines = (await read(target)).toString().trimEnd().split('\n');
  const ids = new Set(lines.map((line) => (JSON.parse(line) as { image_id: string }).image_id));
  assert.deepEqual([lines.length, ids.size, ids.has(late.id)], [RECORDS, RECORDS, false]);
  await orm.em.fork().nativeDelete(StoredFile, { id: late.id });
  assert.equal(await write(target), RECORDS, 'writing a finished export again changes nothing');
  for await (const upload of objects.listIncompleteUploads(exportKey(tenantId, target.exportId)))
    assert.fail(`${upload.key} has parts left`);
});

test('an attempt that was superseded by another one records nothing', async () => {
  const { tenantId } = seeded;
  const target = await begin(tenantId, { kind: 'descriptions', format: 'csv', spec: HISTORY });
  let second: Promise<number> | undefined;
  const slow: ObjectStore = {
    ...objects,
    async uploadPart(...args) {
      second ??= write(target);
      await second;
      return objects.uploadPart(...args);
    },
  };
  // Rejected by the store, whose upload is complete, or by the row.
  await assert.rejects(write(target, slow));
  assert.equal(await second, RECORDS);
  const { fence, recordCount } = await orm.em.fork().findOneOrFail(DataExport, { id: target.exportId });
  assert.deepEqual([fence, recordCount], [2, RECORDS]);
  const lines = (await read(target)).toString().trimEnd().split('\r\n');
  assert.deepEqual([lines.length, new Set(lines).size], [RECORDS + 1, RECORDS + 1]);
});

test('an export that is cancelled during writing leaves nothing in the store', async () => {
  const { tenantId } = seeded;
  const target = await begin(tenantId, { kind: 'descriptions', format: 'csv', spec: HISTORY });
  const cancelling: ObjectStore = {
    ...objects,
    async uploadPart(...args) {
      await discardExport(orm.em.fork(), target);
      await cleanExport({ em: orm.em.fork(), objects }, target);
      return objects.uploadPart(...args);
    },
  };
  await assert.rejects(write(target, cancelling));
  const row = await orm.em.fork().findOneOrFail(DataExport, { id: target.exportId });
  assert.deepEqual([row.status, row.error?.code, row.cleanAt], ['failed', 'EXPORT_CANCELLED', null]);
  const key = exportKey(tenantId, target.exportId);
  assert.equal(await objects.stat(key), undefined);
  for await (const upload of objects.listIncompleteUploads(key)) assert.fail(`${upload.key} has parts left`);
});

test('an export whose workflow was terminated fails with the reason, and one without a workflow is started', async () => {
  const { tenantId, client } = await createOwnTenant(orm, run);
  const target = await begin(tenantId, { kind: 'descriptions', format: 'csv', spec: HISTORY });
  await engine.client.workflow.start('exportData', {
    workflowId: EXPORT_WORKFLOWS.of(target.exportId),
    taskQueue: 'nobody-works-here',
    args: [],
  });
  await engine.client.workflow.getHandle(EXPORT_WORKFLOWS.of(target.exportId)).terminate('out of patience');
  const { body } = await client.get(`/data/export/${target.exportId}`);
  assert.deepEqual([body.status, body.download_url], ['failed', null]);
  assert.match(body.error_message, /terminated.*out of patience/);

  const lost = { exportId: randomUUID(), tenantId };
  const em = orm.em.fork();
  const row = await createExport(em, lost, { kind: 'descriptions', format: 'csv', spec: HISTORY }, CALLER);
  await exportWork.reconcile({ em, engine }, row, 2000);
  await eventually(async () => {
    const { body: record } = await client.get(`/data/export/${lost.exportId}`);
    assert.equal(record.status, 'completed');
  });
});

test('the concurrent exports of an account are limited', async () => {
  const { tenantId, client } = await createOwnTenant(orm, run);
  const wanted = { kind: 'descriptions', format: 'csv', spec: HISTORY } as const;
  for (const _export of Array.from({ length: 5 })) await begin(tenantId, wanted);
  const { status, body } = await client.post('/data/export', { format: 'csv' });
  assert.deepEqual([status, body.code], [429, 'TOO_MANY_EXPORTS']);
});

test('third-party programs read the exported files', { timeout: 240_000 }, async (t) => {
  const readTable = await openTableReaders();
  if (!readTable) return t.skip('Python with openpyxl and python-docx is not available');
  const { tenantId } = await createOwnTenant(orm, run);
  const texts = [
    '=HYPERLINK("http://x")',
    '+1',
    '-1',
    '@SUM(A1)',
    'one "two", three\nfour',
    '🛶 港口 ميناء e\u0301',
    'bell\u0007 and escape\u001b[31m',
    '<b>&amp;</b>',
    'a_x0041_x0042_ and _x005F_x000a_',
  ];
  for (const text of texts) {
    const { id } = await ingestImage(orm.em.fork(), tenantId);
    await orm.em
      .fork()
      .execute(
        `update files set title = ?, size_bytes = 7, created_at = now() - interval '1 minute' where id = ?`,
        [text, id],
      );
  }
  const named = ['title', 'size_bytes'] as const;
  const spec: FilesSpec = {
    columns: named.map((key) => ({ key, name: FILE_COLUMNS.find((one) => one.key === key)?.name ?? '' })),
    includeSubfolders: false,
    flattenTags: true,
    sheetName: 'Häfen & Boote',
    title: 'x',
  };
  const tables = new Map<string, ReturnType<typeof readTable>>();
  for (const format of ['csv', 'xlsx', 'docx'] as const) {
    const target = await begin(tenantId, { kind: 'files', format, spec });
    assert.equal(await write(target), texts.length);
    tables.set(format, readTable(format, await read(target)));
  }
  const shown = texts.map((text) => text.replaceAll('\u0007', '').replaceAll('\u001b', ''));
  const cellsOf = (format: string) =>
    tables
      .get(format)
      ?.rows.slice(1)
      .map(([cell]) => String(cell))
      .toSorted();
  const guarded = shown.map((text) => (/^[=+\-@]/.test(text) ? `'${text}` : text));
  assert.deepEqual(cellsOf('csv'), guarded.toSorted());
  assert.deepEqual(cellsOf('xlsx'), shown.toSorted());
  assert.deepEqual(cellsOf('docx'), shown.toSorted());
  for (const [format, { rows, sheet, formulas }] of tables) {
    assert.deepEqual(rows[0], ['Title', 'Size (bytes)'], format);
    if (format !== 'csv') assert.equal(sheet, 'Häfen & Boote');
    if (format === 'xlsx') assert.deepEqual([rows[1]?.[1], formulas], [7, 0]);
  }
});

test('the text of a document is that of its pages, truncated to the limit of a cell', async () => {
  const { tenantId } = await createOwnTenant(orm, run);
  const em = orm.em.fork();
  const pages = ['one', '', 'three', 'f'.repeat(20_000), 'g'.repeat(20_000), 'late'];
  const [whole, short] = [await ingestImage(em, tenantId), await ingestImage(em, tenantId)];
  await em.execute(
    `update files set media_type = 'document', created_at = now() - interval '1 minute' where id in (?, ?)`,
    [whole.id, short.id],
  );
  for (const [file, texts] of [
    [whole, pages],
    [short, pages.slice(0, 3)],
  ] as const) {
    await em.execute(
      `insert into document_details (file_id, page_count, profile, stale_chunks) values (?, ?, '{}', '{}')`,
      [file.id, texts.length],
    );
    for (const [at, text] of texts.entries())
      await em.execute(
        `insert into document_pages (file_id, page_number, status, needs_ocr, elements, text, attempts, layout_due, updated_at)
          values (?, ?, 'completed', false, '[]', ?, 1, false, now())`,
        [file.id, at + 1, text],
      );
  }
  const spec: FilesSpec = {
    columns: [{ key: 'extracted_text', name: 'Text' }],
    includeSubfolders: false,
    flattenTags: true,
    sheetName: 'x',
    title: 'x',
  };
  const target = await begin(tenantId, { kind: 'files', format: 'csv', spec });
  assert.equal(await write(target), 2);
  const csv = (await read(target)).toString();
  const joined = pages
    .filter((text) => text !== '')
    .join('\n\n')
    .slice(0, 32_767);
  const lines = ['"one\n\nthree"', `"${joined}"`].map((line) => `${line}\r\n`);
  assert.ok([lines, lines.toReversed()].some((order) => csv === `Text\r\n${order.join('')}`));
});

test('a request whose wait times out gets the URL to poll, and a repeat with its key the same export', async () => {
  const headers = { 'Idempotency-Key': randomUUID(), 'Content-Type': 'application/json' };
  const wanted = JSON.stringify({ format: 'csv', columns: [{ field_key: 'page_count' }] });
  const replica = await startReplica({ EXPORT_WAIT_SECONDS: '0' });
  try {
    const client = createClient({ api_url: replica.url, api_key: seeded.apiKey });
    const begin = () => client.request('POST', '/files/export', { headers, body: wanted });
    const [{ status, body }, repeat] = await orm.em.fork().transactional(async (tx) => {
      // The lock keeps the export from reading the columns of documents.
      await tx.execute('lock table document_details in access exclusive mode');
      return [await begin(), await begin()];
    });
    assert.equal(status, 202, JSON.stringify(body));
    assert.deepEqual([repeat.status, repeat.body.export_id], [202, body.export_id]);
    assert.equal(body.poll_url, `/api/v2/data/export/${body.export_id}`);
    await eventually(async () => {
      const { body: record } = await client.get(`/data/export/${body.export_id}`);
      assert.deepEqual([record.status, record.record_count], ['completed', RECORDS]);
    });
  } finally {
    await replica.stop();
  }
});
