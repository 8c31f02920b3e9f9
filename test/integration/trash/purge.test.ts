import { LOCAL_IMAGE_MODEL } from '../../../adapters/models/image-embedding/local-embedding.ts';
import { imageCollection } from '../../../services/images/served-images.ts';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { s3Config } from '../../../adapters/object-store/config.ts';
import type { ObjectStore } from '../../../adapters/object-store/object-store.ts';
import { createS3ObjectStore } from '../../../adapters/object-store/s3-object-store.ts';
import { vectorConfig } from '../../../adapters/vector-index/config.ts';
import { createVectorIndex } from '../../../adapters/vector-index/create-vector-index.ts';
import type { VectorIndex } from '../../../adapters/vector-index/vector-index.ts';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { DeletionReceipt } from '../../../db/entities/trash/deletion-receipt.ts';
import { FileRemoval } from '../../../db/entities/trash/file-removal.ts';
import { FileTimeline } from '../../../db/entities/processing/file-timeline.ts';
import { FileTally } from '../../../db/entities/files/file-tally.ts';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { DirectUpload } from '../../../db/entities/uploads/direct-upload.ts';
import { LOCAL_TEXT_MODEL } from '../../../adapters/models/text-embedding/local-text-embedding.ts';
import { chunkCollection } from '../../../services/documents/index-chunks.ts';
import { filePrefix } from '../../../domain/object-keys.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { claimPurgePage } from '../../../services/trash/claim-purge-page.ts';
import {
  removeFileRows,
  tablesOfFiles,
  removeFileObjects,
  removeFileVectors,
} from '../../../services/trash/remove-files.ts';
import { startWorkflow } from '../../../temporal/start-workflow.ts';
import { createEngine } from '../../../temporal/client.ts';
import { temporalConfig } from '../../../temporal/config.ts';
import { collect } from '../../support/collect.ts';
import { createClient, eventually, sharedRun } from '../../support/api.ts';
import { minimalPdf } from '../../support/documents.ts';
import { createOwnTenant } from '../../support/own-tenant.ts';
import { uniqueImage } from '../../support/images.ts';
import { storedFacts } from '../../support/stored-facts.ts';
import { makeVideo } from '../../support/videos.ts';
import { article } from '../../support/web-pages.ts';
import { pages, startWebSite } from '../../support/web-site.ts';
import { DIRECT_UPLOAD_WORKFLOWS } from '../../../temporal/contract/direct-upload.ts';
import { PURGE_FILES, PURGE_NOW_ID } from '../../../temporal/contract/purge-files.ts';

/** Purges and their receipts. Files are backdated further than in any other test. */
const DAYS = 40;
/** Rows of a file and of its details. */
const FILE_AND_DETAILS = 2;
const run = sharedRun();
const stranger = createClient(run, run.tenants.starter.api_key);
const orm = createOrm(readConfig([databaseConfig], process.env));
const { client, apiKey } = await createOwnTenant(orm, run);
const engine = createEngine(readConfig([temporalConfig], process.env));
const objects = createS3ObjectStore(readConfig([s3Config], process.env));
const vectors = createVectorIndex(
  readConfig([vectorConfig], process.env),
  imageCollection(LOCAL_IMAGE_MODEL),
);
const chunkVectors = createVectorIndex(
  readConfig([vectorConfig], process.env),
  chunkCollection(LOCAL_TEXT_MODEL),
);
after(async () => {
  await vectors.close();
  await chunkVectors.close();
  await engine.close();
  await orm.close(true);
});

const em = () => orm.em.fork();
const before = new Date(Date.now() - DAYS * 86_400_000);
const keysOf = async ({ id, tenantId }: StoredFile) =>
  (await collect(objects.list(filePrefix({ tenantId }, id)))).map(({ key }) => key);
const vectorsOf = ({ id, tenantId }: StoredFile) => vectors.count({ tenantId, fileIds: [id] });
const age = (id: string, days = DAYS + 1) =>
  em().nativeUpdate(StoredFile, { id }, { deletedAt: new Date(Date.now() - days * 86_400_000) });

/** A described image that was deleted long ago, and removed from the index. */
async function longDeleted() {
  const id = await client.ingest({ bytes: await uniqueImage(), filename: 'old.jpg' });
  await client.settled(id);
  const file = await em().findOneOrFail(StoredFile, { id });
  await eventually(async () => assert.equal(await vectorsOf(file), 1));
  assert.equal((await client.delete(`/files/${id}`)).status, 200);
  await eventually(async () => assert.equal(await vectorsOf(file), 0));
  await age(id);
  return file;
}

/** The rows of a file and of every table that refers to files, and its objects: what its receipt has to count. */
async function scanOf(file: Pick<StoredFile, 'id' | 'tenantId'>): Promise<{ rows: number; objects: number }> {
  const columns = await em().execute<{ table: string; column: string }[]>(
    `select conrelid::regclass::text as table, attname as column from pg_constraint
     join pg_attribute on attrelid = conrelid and attnum = any(conkey)
     where contype = 'f' and confrelid = 'files'::regclass and attname not in ('parent_file_id', 'tenant_id')
       and conrelid <> 'file_removals'::regclass`,
  );
  let rows = await em().count(StoredFile, { id: file.id });
  for (const { table, column } of columns) {
    const [counted] = await em().execute<{ rows: number }[]>(
      `select count(*)::int as rows from ${table} where ${column} = ?`,
      [file.id],
    );
    rows += counted?.rows ?? 0;
  }
  return { rows, objects: (await keysOf(file as StoredFile)).length };
}

async function purge(): Promise<void> {
  await eventually(async () => assert.ok(await startWorkflow(engine, PURGE_FILES, { days: DAYS })));
  await engine.client.workflow.getHandle(PURGE_NOW_ID).result();
}

const tally = async (tenantId: string) => em().findOneOrFail(FileTally, { tenantId });

test('a purge removes rows, objects and vectors, and writes a receipt with their counts', async () => {
  const file = await longDeleted();
  const facts = await storedFacts(em(), file.id);
  const stored = await keysOf(file);
  const upload = await objects.initiateMultipart(
    `${filePrefix({ tenantId: file.tenantId }, file.id)}original-torn`,
    {
      contentType: 'image/jpeg',
    },
  );
  assert.equal((await client.get(`/files/deletions/${file.id}`)).status, 404);
  const trashed = (await tally(file.tenantId)).trash;
  await purge();

  assert.equal(await em().count(StoredFile, { id: file.id }), 0);
  assert.equal(await em().count(FileRemoval, { fileId: file.id }), 0);
  assert.deepEqual(await keysOf(file), []);
  assert.equal(await objects.listParts(upload), undefined);
  assert.deepEqual(await storedFacts(em(), file.id), {
    variants: 0,
    descriptions: 0,
    timelines: 0,
    credits: facts.credits,
  });
  assert.deepEqual(facts.credits, ['reserve 1', 'spend 1']);
  assert.ok((await tally(file.tenantId)).trash < trashed);

  const { status, body } = await client.get(`/files/deletions/${file.id.toUpperCase()}`);
  assert.equal(status, 200);
  const { purged_at: purgedAt, deleted_at: deletedAt, ...receipt } = body;
  assert.deepEqual(receipt, {
    file_id: file.id,
    filename: 'old.jpg',
    sha256: file.sha256,
    removed: {
      rows: FILE_AND_DETAILS + facts.variants + facts.descriptions + facts.timelines,
      objects: stored.length,
      vectors: 1,
    },
  });
  assert.deepEqual([facts.variants, facts.descriptions, facts.timelines, stored.length], [4, 1, 1, 5]);
  assert.ok(Date.parse(purgedAt) - Date.parse(deletedAt) > DAYS * 86_400_000);
  assert.deepEqual((await client.get('/files/deletions?limit=1')).body.items[0], body);
  assert.equal((await client.post(`/files/${file.id}/restore`, {})).status, 404);

  const foreign = await stranger.get(`/files/deletions/${file.id}`);
  const unknown = await stranger.get(`/files/deletions/${randomUUID()}`);
  assert.equal(foreign.status, 404);
  assert.deepEqual({ ...foreign.body, request_id: '' }, { ...unknown.body, request_id: '' });
  const theirs = (await stranger.get('/files/deletions?limit=100')).body.items;
  assert.ok(theirs.every((item: { file_id: string }) => item.file_id !== file.id));
});

test('a purged document leaves nothing, and its receipt counts pages, pictures, chunks and vectors', async () => {
  const bytes = minimalPdf(['The mill stands at the river.', 'Its wheel turns no more.']);
  const id = await client.ingest({ bytes, filename: 'mill.pdf' });
  const { chunk_count: chunks, page_count: pages } = await client.settled(id);
  const { tenantId } = await em().findOneOrFail(StoredFile, { id });
  const indexed = () => chunkVectors.count({ tenantId, fileIds: [id] });
  assert.deepEqual([await indexed(), pages], [chunks, 2]);
  const timelines = await em().count(FileTimeline, { fileId: id });
  const picture = (await client.get(`/files/${id}/pages/2/image?width=320`)).headers.get('location') ?? '';
  await client.delete(`/files/${id}`);
  await eventually(async () => assert.equal(await indexed(), 0));
  await client.post(`/files/${id}/restore`, {});
  await eventually(async () => assert.equal(await indexed(), chunks));
  assert.equal((await fetch(picture)).status, 200);
  await client.delete(`/files/${id}`);
  await eventually(async () => assert.equal(await indexed(), 0));
  await age(id);
  const scan = await scanOf({ id, tenantId });
  await purge();
  assert.deepEqual(await scanOf({ id, tenantId }), { rows: 0, objects: 0 });
  const { status, body } = await client.get(`/files/deletions/${id}`);
  assert.equal(status, 200);
  assert.deepEqual({ rows: body.removed.rows, objects: body.removed.objects }, scan);
  const [descriptions, previews, pictures] = [1, 4, 1];
  const rows = FILE_AND_DETAILS + pages + chunks + descriptions + timelines + previews + 1 + pictures;
  assert.deepEqual(
    body.removed,
    { rows, objects: 1 + previews + pictures, vectors: chunks },
    JSON.stringify(body),
  );
  assert.equal((await fetch(picture)).status, 404);
  assert.deepEqual(await keysOf({ id, tenantId } as StoredFile), []);
  const { body: found } = await client.post('/files/search', { query: 'mill', document_ids: [id] });
  assert.deepEqual(found.items, []);
});

test('a session still reports the outcome of a purged file, and its version does not decrease', async () => {
  const good = { bytes: await uniqueImage(), filename: 'good.jpg' };
  const torn = { bytes: (await uniqueImage()).subarray(0, 300), filename: 'torn.jpg' };
  const { body } = await client.batch([good, torn]);
  const id = body.session_id;
  await client.sessionEnded(id);
  const views = ['status', 'results', 'summary'];
  const look = async () =>
    Promise.all(views.map(async (view) => (await client.get(`/files/sessions/${id}/${view}`)).body));
  const [record, results, summary] = await look();
  const fileIds = results.results.map((entry: { file_id: string }) => entry.file_id);
  assert.equal((await client.post('/files/batch-delete', { file_ids: fileIds })).body.summary.deleted, 2);
  for (const fileId of fileIds) await age(fileId);
  const seq = async () => {
    const answer = await fetch(`${run.api_url}/files/sessions/${id}/events`, {
      headers: { Authorization: `Bearer ${apiKey}` },
    });
    return Number(/"seq":(\d+)/.exec(await answer.text())?.[1]);
  };
  const version = await seq();
  await purge();
  assert.equal(await em().count(StoredFile, { id: { $in: fileIds } }), 0);
  assert.ok((await seq()) > version);

  const [laterRecord, laterResults, laterSummary] = await look();
  for (const key of [
    'status',
    'total_files',
    'completed_files',
    'failed_files',
    'skipped_files',
    'pending_files',
  ]) {
    assert.equal(laterRecord[key], record[key], key);
  }
  assert.deepEqual(laterSummary.counts, summary.counts);
  assert.deepEqual(laterSummary.error_summary, summary.error_summary);
  const outcomeOf = ({ file_id, filename, status, error_message }: Record<string, unknown>) => ({
    file_id,
    filename,
    status,
    error_message,
  });
  assert.deepEqual(laterResults.results.map(outcomeOf), results.results.map(outcomeOf));
  assert.equal(laterResults.results[0].thumbnail_url, null);
  assert.equal(laterRecord.recent_errors[0].retryable, false);
});

test('a purged link leaves nothing, and its receipt counts its page, its preview and their vectors', async () => {
  const site = await startWebSite('127.0.0.1');
  after(() => site.stop());
  site.serve('/face.png', pages.of(await uniqueImage(), { 'content-type': 'image/png' }));
  const head = '<meta property="og:image" content="/face.png">';
  site.serve('/mill', article({ title: 'Mill', words: 'windpump', head }));
  const { body: added } = await client.post('/files/links', { url: site.url('/mill') });
  const id: string = added.file_id;
  const { chunk_count: chunks, primary_status: status } = await client.settled(id);
  assert.equal(status, 'completed');
  const file = await em().findOneOrFail(StoredFile, { id });
  const indexed = () => chunkVectors.count({ tenantId: file.tenantId, fileIds: [id] });
  assert.equal(await indexed(), chunks);
  await client.delete(`/files/${id}`);
  await eventually(async () => assert.equal(await indexed(), 0));
  assert.equal((await client.post(`/files/${id}/restore`, {})).body.restored, true);
  await eventually(async () => assert.equal(await indexed(), chunks));
  const { body: restored } = await client.get(`/files/${id}`);
  assert.deepEqual([restored.crawl_status, restored.page_title], ['completed', 'Mill']);
  await client.delete(`/files/${id}`);
  await eventually(async () => assert.equal(await indexed(), 0));
  const { variants, descriptions, timelines } = await storedFacts(em(), id);
  const stored = await keysOf(file);
  await age(id);
  await purge();
  const { body: receipt } = await client.get(`/files/deletions/${id}`);
  // Details of the link, its document and its preview image, and a page of the document.
  const details = 4;
  assert.deepEqual(
    receipt.removed,
    {
      rows: 1 + details + chunks + variants + descriptions + timelines,
      objects: stored.length,
      vectors: chunks,
    },
    JSON.stringify(receipt),
  );
  assert.deepEqual([variants, descriptions, stored.length], [4, 1, 5]);
  assert.deepEqual(await keysOf(file), []);
  assert.equal((await client.get(`/files/${id}`)).status, 404);
});

/** A server that executes a call, after which the caller fails as if it had crashed before the response. */
function dyingAfter<T extends object>(real: T, method: keyof T): T {
  return new Proxy(real, {
    get(target, name) {
      const own = Reflect.get(target, name) as unknown;
      if (name !== method || typeof own !== 'function') return own;
      return async (...args: unknown[]) => {
        await (own.bind(target) as (...given: unknown[]) => Promise<unknown>)(...args);
        throw new Error('killed');
      };
    },
  });
}

test('after a crash at any point, the next purge finds the file and counts everything once', async () => {
  const file = await longDeleted();
  const stored = await keysOf(file);
  // As left by a late writer.
  const late = Array.from({ length: LOCAL_IMAGE_MODEL.dimension }, () => 0.5);
  await vectors.upsert([
    { id: randomUUID(), tenantId: file.tenantId, fileId: file.id, kind: 'image', vector: late },
  ]);
  const target = { fileId: file.id, tenantId: file.tenantId };
  const steps = async (dying: { objects?: ObjectStore; vectors?: VectorIndex; rows?: boolean }) => {
    const { files } = await claimPurgePage(em(), { before });
    assert.ok(files.some(({ fileId }) => fileId === file.id));
    await removeFileVectors({ em: em(), vectors: dying.vectors ?? vectors, chunkVectors }, [target]);
    await removeFileObjects({ em: em(), objects: dying.objects ?? objects }, target);
    if (!dying.rows) return removeFileRows(em(), target);
    return em().transactional(async (tx) => {
      await removeFileRows(tx, target);
      throw new Error('killed');
    });
  };
  // The later steps must not touch a file that is not claimed.
  await removeFileObjects({ em: em(), objects }, target);
  assert.equal(await removeFileRows(em(), target), false);
  assert.equal((await keysOf(file)).length, stored.length);

  await assert.rejects(steps({ vectors: dyingAfter(vectors, 'remove') }), /killed/);
  await assert.rejects(steps({ objects: dyingAfter(objects, 'abortMultipart'), rows: true }), /killed/);
  await objects.put(`${filePrefix({ tenantId: file.tenantId }, file.id)}original-late`, Buffer.from('late'), {
    contentType: 'image/jpeg',
  });
  await assert.rejects(steps({ objects: dyingAfter(objects, 'remove') }), /killed/);
  await assert.rejects(steps({ rows: true }), /killed/);
  assert.equal(await em().count(DeletionReceipt, { fileId: file.id }), 0);
  assert.equal(await em().count(StoredFile, { id: file.id }), 1);

  assert.equal(await steps({}), true);
  const receipt = await em().findOneOrFail(DeletionReceipt, { fileId: file.id });
  assert.deepEqual([receipt.rows, receipt.objects, receipt.vectors], [8, stored.length + 1, 1]);
  // Another purge that claimed the same page comes too late.
  await removeFileVectors({ em: em(), vectors, chunkVectors }, [target]);
  await removeFileObjects({ em: em(), objects }, target);
  assert.equal(await removeFileRows(em(), target), false);
  assert.deepEqual({ ...(await em().findOneOrFail(DeletionReceipt, { fileId: file.id })) }, { ...receipt });
});

test('a file is either restored or purged completely', async () => {
  const id = await client.ingest({ bytes: await uniqueImage(), fields: { auto_describe: 'false' } });
  await client.settled(id);
  await client.delete(`/files/${id}`);
  const aged = (hours: number) => age(id, hours / 24);
  const claim = async (moment: Date) =>
    (await claimPurgePage(em(), { before: moment })).files.some(({ fileId }) => fileId === id);

  assert.equal(
    await claim(new Date()),
    false,
    'work that was interrupted by the deletion may still store something',
  );
  await aged(2);
  assert.equal(await claim(new Date(Date.now() - 3 * 3_600_000)), false);
  assert.equal(await claim(new Date(Date.now() - 3_600_000)), true);
  const refused = await client.post(`/files/${id}/restore`, {});
  assert.equal(refused.status, 404, 'its purge has begun');

  await em().nativeDelete(FileRemoval, { fileId: id });
  assert.equal((await client.post(`/files/${id}/restore`, {})).body.restored, true);
  assert.equal(await claim(new Date()), false);
  const { tenantId } = await em().findOneOrFail(StoredFile, { id });
  assert.equal(await removeFileRows(em(), { fileId: id, tenantId }), false);
  assert.equal((await client.get(`/files/${id}`)).status, 200);
});

test('a restore resets the counts of an earlier purge, so that a later receipt starts from zero', async () => {
  const id = await client.ingest({ bytes: await uniqueImage() });
  await client.settled(id);
  const file = await em().findOneOrFail(StoredFile, { id });
  await eventually(async () => assert.equal(await vectorsOf(file), 1));
  await client.delete(`/files/${id}`);
  await eventually(async () =>
    assert.equal((await em().findOneOrFail(FileRemoval, { fileId: id })).vectors, 1),
  );
  await client.post(`/files/${id}/restore`, {});
  assert.equal(await em().count(FileRemoval, { fileId: id }), 0);
});

/** A direct upload that became a file, or was a duplicate of one. */
async function directUpload(bytes: Buffer<ArrayBuffer>, fields: Record<string, unknown> = {}) {
  const begun = await client.post('/files/direct-uploads', {
    filename: 'direct.jpg',
    content_type: 'image/jpeg',
    size_bytes: bytes.length,
    claimed_file_hash: createHash('sha256').update(bytes).digest('hex'),
    ...fields,
  });
  assert.equal(begun.status, 201, JSON.stringify(begun.body));
  const { upload_id: id, presigned_url: url, headers, part_urls: parts } = begun.body;
  const put = await fetch(url ?? parts[0].url, { method: 'PUT', headers: headers ?? {}, body: bytes });
  assert.equal(put.status, 200, await put.text());
  if (parts) {
    const part = { part_number: 1, etag: put.headers.get('etag'), size_bytes: bytes.length };
    assert.equal((await client.post(`/files/direct-uploads/${id}/parts/confirm`, part)).status, 200);
  }
  const done = await client.post(`/files/direct-uploads/${id}/complete`, {});
  assert.equal(done.status, 202, JSON.stringify(done.body));
  return { id: id as string, fileId: done.body.file_id as string };
}

const recordOf = async (id: string) => (await client.get(`/files/direct-uploads/${id}`)).status;
/** As after the sweep one hour past the last URL. */
const cleaned = (id: string) => em().nativeUpdate(DirectUpload, { id }, { cleanAt: null });

test('the records of the uploads of a file are purged with it, and counted', async () => {
  const png = await uniqueImage();
  const bytes = Buffer.concat([png, Buffer.alloc(5 * 1024 * 1024 - png.length + 1)]);
  const own = await directUpload(bytes, { upload_mode: 'multipart', part_size_bytes: bytes.length });
  const duplicate = await directUpload(bytes, { skip_duplicates: true });
  const late = await directUpload(bytes, { skip_duplicates: true });
  assert.deepEqual([duplicate.fileId, late.fileId], [own.fileId, own.fileId]);
  await client.settled(own.fileId);
  const facts = await storedFacts(em(), own.fileId);
  assert.equal((await client.delete(`/files/${own.fileId}`)).status, 200);
  await age(own.fileId);
  for (const { id } of [own, duplicate]) await cleaned(id);
  assert.deepEqual([await recordOf(own.id), await recordOf(duplicate.id)], [200, 200]);
  await purge();

  const { body } = await client.get(`/files/deletions/${own.fileId}`);
  // The file and its details, their dependent rows, two upload records and one part.
  const dependent = facts.variants + facts.descriptions + facts.timelines;
  assert.equal(body.removed.rows, FILE_AND_DETAILS + dependent + 3);
  assert.deepEqual([await recordOf(own.id), await recordOf(duplicate.id)], [404, 404]);

  // Objects that its URL may still create are only found through its record.
  assert.equal(await recordOf(late.id), 200);
  const past = new Date(Date.now() - 2 * 3_600_000);
  await em().nativeUpdate(DirectUpload, { id: late.id }, { expiresAt: past, cleanAt: past });
  await eventually(async () => assert.equal(await recordOf(late.id), 404), 90);
});

test('a purged video leaves nothing, and its receipt counts its key frames and their images', async () => {
  const bytes = Buffer.from(await makeVideo({ audio: true }));
  const { id, fileId } = await directUpload(bytes, { filename: 'old.mp4', content_type: 'video/mp4' });
  const { key_frames: frames, ...video } = await client.settled(fileId, 120);
  assert.equal(video.primary_status, 'completed', video.explanation);
  const file = await em().findOneOrFail(StoredFile, { id: fileId });
  await eventually(async () => assert.equal(await vectorsOf(file), 1));
  const [facts, stored] = [await storedFacts(em(), fileId), await keysOf(file)];
  const [original, pictures] = [1, 2 * frames.length];
  assert.deepEqual([frames.length, stored.length], [4, original + facts.variants + pictures]);
  await client.delete(`/files/${fileId}`);
  await eventually(async () => assert.equal(await vectorsOf(file), 0));
  await age(fileId);
  await cleaned(id);
  await purge();
  assert.deepEqual(await keysOf(file), []);
  const { body } = await client.get(`/files/deletions/${fileId}`);
  const ofUpload = 1;
  const rows = FILE_AND_DETAILS + facts.variants + facts.descriptions + facts.timelines + frames.length;
  assert.deepEqual(body.removed, { rows: rows + ofUpload, objects: stored.length, vectors: 1 });
});

test('records of uploads that failed are kept for thirty days', async () => {
  const failed = async (days: number, clean = true) => {
    const { body } = await client.post('/files/direct-uploads', {
      filename: 'never.jpg',
      content_type: 'image/jpeg',
      size_bytes: 10,
      claimed_file_hash: '0'.repeat(64),
    });
    const id = body.upload_id as string;
    assert.equal((await client.delete(`/files/direct-uploads/${id}`)).body.aborted, true);
    await engine.client.workflow.getHandle(DIRECT_UPLOAD_WORKFLOWS.of(id)).result();
    const updatedAt = new Date(Date.now() - days * 86_400_000);
    await em().nativeUpdate(DirectUpload, { id }, { updatedAt, ...(clean && { cleanAt: null }) });
    return id;
  };
  const [old, young, unclean] = [await failed(31), await failed(29), await failed(31, false)];
  await purge();
  assert.deepEqual([await recordOf(old), await recordOf(young), await recordOf(unclean)], [404, 200, 200]);
});

test('every table that references a file is counted in its receipt', async () => {
  const rows = await em().execute<{ name: string }[]>(
    `select conrelid::regclass::text as name from pg_constraint
     where contype = 'f' and confrelid = 'files'::regclass order by 1`,
  );
  // Parts of a file are files of their own.
  const others = ['file_removals', 'files'];
  assert.deepEqual(
    rows.map(({ name }) => name).filter((name) => !others.includes(name)),
    tablesOfFiles().toSorted(),
  );
});

test('a purge by an operator is refused while another one is running', async () => {
  const running = await engine.client.workflow.start('purgeFiles', {
    workflowId: PURGE_NOW_ID,
    taskQueue: 'nobody',
    args: [{ days: 3000 }],
  });
  assert.equal(await startWorkflow(engine, PURGE_FILES, { days: 3000 }), false);
  await running.terminate('the test is over');
  assert.equal(await startWorkflow(engine, PURGE_FILES, { days: 3000 }), true);
  await engine.client.workflow.getHandle(PURGE_NOW_ID).result();
});

test('the purge command starts a purge and accepts only whole days', async () => {
  const admin = (...args: string[]) =>
    spawnSync(
      process.execPath,
      [fileURLToPath(new URL('../../../cli/admin/main.ts', import.meta.url)), ...args],
      {
        env: process.env,
        encoding: 'utf8',
        timeout: 60_000,
      },
    );
  const { status, stdout, stderr } = admin('purge', '--older-than', '3000');
  assert.equal(status, 0, stderr);
  assert.match(stdout, /purge\/now/);
  await engine.client.workflow.getHandle(PURGE_NOW_ID).result();
  for (const args of [['purge'], ['purge', '--older-than', '-1'], ['purge', '--older-than', 'all']]) {
    assert.notEqual(admin(...args).status, 0, args.join(' '));
  }
});
