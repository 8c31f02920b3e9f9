import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { fileListRoute } from '../../../api/routes/files/list-routes.ts';
import { fileRoute } from '../../../api/routes/files/read-routes.ts';
import { jobRoute } from '../../../api/routes/jobs/job-route.ts';
import { fileStatusRoutes } from '../../../api/routes/processing/status-routes.ts';
import type { ProtectedRoute } from '../../../api/http/route.ts';
import { databaseConfig } from '../../../db/config.ts';
import { applyFunctions } from '../../../db/apply-functions.ts';
import { createOrm, type Orm } from '../../../db/create-orm.ts';
import { createMigratingOrm } from '../../../db/migrator.ts';
import { Tenant } from '../../../db/entities/accounts/tenant.ts';
import { FileRemoval } from '../../../db/entities/trash/file-removal.ts';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import type { Components } from '../../../domain/components.ts';
import type { MediaType } from '../../../domain/media.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import type { RowValues } from '../../../db/stream-rows.ts';
import { openFilesTable } from '../../../services/exports/files/files-table.ts';
import { beginFileWork } from '../../../services/processing/start-file-work.ts';
import { requestExtraction } from '../../../services/structured-extraction/request-extraction.ts';
import { deleteFile } from '../../../services/trash/delete-files.ts';
import { removeFileRows } from '../../../services/trash/remove-files.ts';
import { restoreFile } from '../../../services/trash/restore-file.ts';
import { createEngine, type Engine } from '../../../temporal/client.ts';
import { temporalConfig } from '../../../temporal/config.ts';
import { registerAudioMedium } from '../../support/audio-medium.ts';
import { ingestImage, incomingImage } from '../../support/ingest-image.ts';
import { ownerOf } from '../../support/principals.ts';
import { ingestFile } from '../../../services/uploads/ingest-file.ts';

/** The code for files of any medium, with a medium that exists only here, in a separate database that accepts it. */
const config = readConfig([databaseConfig, temporalConfig], process.env);
const name = `another_medium_${randomUUID().slice(0, 8)}`;
const tenantId = randomUUID();
const principal = ownerOf(tenantId);
const server = createOrm(config);
let orm: Orm;
let engine: Engine;
const em = () => orm.em.fork();

before(async () => {
  registerAudioMedium();
  engine = createEngine(config);
  await server.em.execute(`create database ${name}`);
  const url = new URL(config.DATABASE_URL);
  url.pathname = name;
  orm = createMigratingOrm({ ...config, DATABASE_URL: url.href });
  await orm.migrator.up();
  await applyFunctions(orm.em.fork());
  // As the entity and the migration of a new medium would.
  const { mediaType } = orm.getMetadata().get(StoredFile).properties;
  mediaType.items = [...(mediaType.items ?? []), 'audio'];
  await em().execute('alter table files drop constraint files_media_type_check');
  await em().insert(Tenant, { id: tenantId, name: 'audio', tier: 'enterprise', createdAt: new Date() });
});
after(async () => {
  await engine.close();
  await orm.close(true);
  await server.em.execute(`drop database ${name}`);
  await server.close(true);
});

const endedAt = new Date().toISOString();
const COMPLETED = {
  waveform: { status: 'completed', endedAt },
  transcript: { status: 'completed', endedAt },
} as Components;

async function newAudio(components: Components, primaryStatus: StoredFile['primaryStatus']) {
  const incoming = incomingImage({
    mediaType: 'audio' as MediaType,
    contentType: 'audio/ogg',
    format: 'ogg',
    filename: 'talk.ogg',
    sha256: randomUUID().replaceAll('-', '').repeat(2),
  });
  const made = await ingestFile(em(), { tenantId, tier: 'enterprise' }, incoming);
  assert.ok('created' in made);
  const { id } = made.created;
  // It has no run, since the engine has no workflow for it.
  await em().nativeUpdate(StoredFile, { id }, { components, primaryStatus, engineDueAt: null });
  return em().findOneOrFail(StoredFile, { id });
}

/** The JSON of a route, without HTTP. */
async function answer(route: ProtectedRoute, params: object, query: object = {}): Promise<unknown> {
  const objects = { presignGet: async () => 'https://store.example/x' };
  const call = {
    em: em(),
    deps: { objects, engine, searchTimeoutMs: 1000, workflowUrl: () => null },
    principal,
    params,
    query,
    ctx: {},
  };
  const given = call as unknown as Parameters<ProtectedRoute['handle']>[0];
  const result = await route.handle(given);
  return route.present ? route.present(result, given) : result;
}

test('GET, list, status and job use its presenter', async () => {
  const { id } = await newAudio(COMPLETED, 'completed');
  await ingestImage(em(), tenantId);
  const detail = await answer(fileRoute, { file_id: id });
  assert.partialDeepStrictEqual(detail, {
    id,
    media_type: 'audio',
    waveform_status: 'completed',
    transcript_error: null,
  });

  const query = fileListRoute.query?.parse({});
  const { items } = (await answer(fileListRoute, {}, query)) as {
    items: { id: string; media_type: string }[];
  };
  assert.deepEqual(
    items.map((item) => item.media_type),
    ['image', 'audio'],
  );
  assert.partialDeepStrictEqual(items[1], { id, variant_count: 0, document_type: null });

  for (const route of fileStatusRoutes) {
    const status = await answer(route, { file_id: id }, { stuck_minutes: 10 });
    assert.equal((status as { file_id: string }).file_id, id);
  }
  assert.partialDeepStrictEqual(await answer(jobRoute, { job_id: id }), {
    job_id: id,
    job_type: 'audio',
    status: 'completed',
  });
});

test('an export fills its columns, and leaves those of other media empty', async () => {
  const { id } = await newAudio(COMPLETED, 'completed');
  const table = await openFilesTable(
    em(),
    { tenantId, createdAt: new Date() },
    {
      columns: (['filename', 'duration_seconds', 'width', 'page_count', 'extracted_text'] as const).map(
        (key) => ({
          key,
          name: key,
        }),
      ),
      fileIds: [id],
      includeSubfolders: false,
      flattenTags: true,
      sheetName: 'files',
      title: 'files',
    },
  );
  const rows: RowValues[] = [];
  const row = (values: RowValues) => {
    rows.push([...values]);
    return '';
  };
  const pages = table.pages({ row, between: '' }, { after: undefined, written: 0, pageBytes: 1024 * 1024 });
  for await (const { records } of pages) assert.equal(records, 1);
  assert.deepEqual(rows, [['talk.ogg', '1', null, null, null]]);
});

test('its files are deleted, restored and purged like any file, without an index', async () => {
  const open = { waveform: COMPLETED['waveform' as keyof Components], transcript: { status: 'processing' } };
  const { id } = await newAudio(open as Components, 'processing');
  await deleteFile({ em: em(), engine }, tenantId, id);
  const trashed = await em().findOneOrFail(StoredFile, { id });
  assert.ok(trashed.deletedAt);
  assert.equal(trashed.engineDueAt, null, 'nothing is left to do');

  const { resumed, unpaid } = await restoreFile(em(), principal, trashed);
  assert.deepEqual([resumed, unpaid], [['transcript'], []]);
  const restored = await em().findOneOrFail(StoredFile, { id });
  const { generation, components } = restored;
  const begun = await beginFileWork(em(), { fileId: id, tenantId, generation, components }, randomUUID());
  assert.ok(begun);
  assert.equal((await em().findOneOrFail(StoredFile, { id })).engineDueAt, null);

  await deleteFile({ em: em(), engine }, tenantId, id);
  await em().upsert(FileRemoval, { fileId: id, beganAt: new Date(), objectKeys: [], vectors: 0 });
  assert.equal(await removeFileRows(em(), { fileId: id, tenantId }), true);
  assert.equal(await em().count(StoredFile, { id }), 0);
});

test('data cannot be extracted from it by a schema unless it implements that', async () => {
  const { id: fileId } = await newAudio(COMPLETED, 'completed');
  const request = { id: randomUUID(), content: { kind: 'file', fileId } };
  const deps = { em: em(), engine, objects: {} } as unknown as Parameters<typeof requestExtraction>[0];
  await assert.rejects(
    requestExtraction(deps, principal, request as Parameters<typeof requestExtraction>[2]),
    { code: 'IMAGE_NOT_FOUND' },
  );
});
