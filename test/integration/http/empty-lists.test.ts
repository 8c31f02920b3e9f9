import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { eventually, sharedRun, type Json } from '../../support/api.ts';
import { createOwnTenant } from '../../support/own-tenant.ts';
import { removeSeeded, seedDescriptions } from '../../support/seed-descriptions.ts';

const run = sharedRun();
const orm = createOrm(readConfig([databaseConfig], process.env));
after(() => orm.close(true));
const document: Json = JSON.parse(
  readFileSync(new URL('../../../api/openapi.json', import.meta.url), 'utf8'),
);

/**
 * The meaning of every list of a request when it is empty: `nothing` is selected, the request is `refused`, or the list is
 * `data` that is stored unchanged.
 */
const MEANING: Readonly<Record<string, 'nothing' | 'refused' | 'data'>> = {
  'listFiles.tags': 'nothing',
  'listFiles.media_types': 'nothing',
  'listFiles.status': 'nothing',
  'listFiles.failure_kind': 'nothing',
  'listFiles.ids': 'nothing',
  'getDigitization.element_types': 'nothing',
  'searchDocuments.document_ids': 'nothing',
  'askDocuments.document_ids': 'nothing',
  'searchDocuments.media_types': 'nothing',
  'exportFiles.file_ids': 'nothing',
  'exportFiles.columns': 'refused',
  'exportDescriptions.search_terms': 'nothing',
  'exportDescriptions.source_types': 'nothing',
  'exportDescriptions.fields': 'refused',
  'checkDuplicates.hashes': 'refused',
  'legacyCheckDuplicates.hashes': 'refused',
  'deleteFiles.file_ids': 'refused',
  'reprocessFiles.filter.tags': 'nothing',
  'reprocessFiles.filter.media_types': 'nothing',
  'reprocessFiles.filter.status': 'nothing',
  'reprocessFiles.filter.failure_kind': 'nothing',
  'reprocessFiles.filter.ids': 'nothing',
  'reprocessFiles.components': 'refused',
  'splitDocument.ranges': 'refused',
  'retryFile.components': 'refused',
  'retryFile.pages': 'refused',
  'legacyPrepareBatch.files': 'refused',
  'legacyConfirmBatch.confirmations': 'refused',
  'createApiKey.scopes': 'refused',
  'changeApiKey.scopes': 'refused',
  'createWebhook.event_types': 'refused',
  'changeWebhook.event_types': 'refused',
  'createDirectUpload.tags': 'data',
  'createImport.tags': 'data',
  'addLink.tags': 'data',
  'addLinks.links': 'refused',
  'changeFile.tags': 'data',
  'changeTenantSettings.allowed_vlm_providers': 'data',
  'changeTenantSettings.allowed_domains': 'data',
};

/** Every list of the parameters and JSON bodies of the document, and whether it may be empty. */
function listsOfDocument(): Map<string, { least: number }> {
  const resolve = (schema: Json): Json =>
    schema?.$ref ? document.components.schemas[schema.$ref.split('/').at(-1)] : schema;
  const found = new Map<string, { least: number }>();
  const visit = (schema: Json, name: string): void => {
    const { type, minItems = 0, properties = {}, anyOf = [] } = resolve(schema) ?? {};
    if ([type].flat().includes('array')) found.set(name, { least: minItems });
    for (const [key, field] of Object.entries(properties)) visit(field, `${name}.${key}`);
    for (const branch of anyOf) visit(branch, name);
  };
  for (const operation of Object.values<Json>(document.paths).flatMap((path) => Object.values<Json>(path))) {
    const { operationId, parameters = [], requestBody } = operation;
    for (const parameter of parameters) visit(parameter.schema, `${operationId}.${parameter.name}`);
    visit(requestBody?.content?.['application/json']?.schema, operationId);
  }
  return found;
}

test('every list of the document has a defined meaning when it is empty', () => {
  const lists = listsOfDocument();
  assert.deepEqual([...lists.keys()].toSorted(), Object.keys(MEANING).toSorted());
  for (const [name, { least }] of lists) assert.equal(least > 0, MEANING[name] === 'refused', name);
});

test('an empty list selects nothing in lists, searches and exports', async () => {
  const { tenantId, client } = await createOwnTenant(orm, run);
  await seedDescriptions(orm, tenantId, 3);
  try {
    const total = async (path: string) => {
      const { status, body } = await client.get(path);
      assert.equal(status, 200, JSON.stringify(body));
      assert.equal(body.total_count, body.items.length);
      return body.total_count as number;
    };
    assert.equal(await total('/files'), 3);
    for (const query of [
      'ids=',
      'ids=&ids=',
      'tags=',
      'media_types=',
      'status=',
      'failure_kind=',
      'ids=&search=File',
    ])
      assert.equal(await total(`/files?${query}`), 0, query);
    assert.equal(await total('/data/descriptions?search='), 3, 'a blank search is ignored');
    for (const query of ['source_types=', 'source_types=,', 'search=,'])
      assert.equal(await total(`/data/descriptions?${query}`), 0, query);

    const found = await client.post('/files/search', { query: 'File', document_ids: [] });
    assert.deepEqual([found.status, found.body.items], [200, []]);
    const none = await client.post('/files/search', { query: 'File', media_types: [] });
    assert.deepEqual([none.status, none.body.items, none.body.files], [200, [], []]);

    for (const list of ['tags', 'media_types', 'status', 'failure_kind', 'ids']) {
      const again = { components: ['description'], reason: 'a new model', dry_run: true };
      const { status, body } = await client.post('/reprocessing', { ...again, filter: { [list]: [] } });
      assert.deepEqual([status, body.total_files], [200, 0], JSON.stringify(body));
    }

    const columns = [{ field_key: 'id' }];
    for (const [given, count] of [
      [{ file_ids: [] }, 0],
      [{ file_ids: [], folder_id: 'root', include_subfolders: true }, 0],
      [{ file_ids: null }, 3],
    ] as const) {
      const { status, body } = await client.post('/files/export', { format: 'csv', columns, ...given });
      assert.ok([200, 202].includes(status), JSON.stringify(body));
      assert.equal((await exported(body.export_id)).record_count, count, JSON.stringify(given));
    }
    for (const [given, count] of [
      [{ search_terms: [] }, 0],
      [{ source_types: [] }, 0],
      [{ source_types: [], include_failed: true }, 0],
      [{}, 3],
    ] as const) {
      const { status, body } = await client.post('/data/export', { format: 'jsonl', ...given });
      assert.equal(status, 202, JSON.stringify(body));
      assert.equal((await exported(body.export_id)).record_count, count, JSON.stringify(given));
    }
  } finally {
    await removeSeeded(orm, tenantId);
  }

  function exported(id: string): Promise<Json> {
    return eventually(async () => {
      const { body } = await client.get(`/data/export/${id}`);
      assert.equal(body.status, 'completed', JSON.stringify(body));
      return body;
    });
  }
});

test('an empty list of items to delete, check or retry is refused and has no effect', async () => {
  const { tenantId, client } = await createOwnTenant(orm, run);
  await seedDescriptions(orm, tenantId, 2);
  try {
    const [file] = (await client.get('/files')).body.items;
    for (const [path, body] of [
      ['/files/batch-delete', { file_ids: [] }],
      ['/files/check-duplicates', { hashes: [] }],
      ['/uploads/check-duplicates', { hashes: [] }],
      [`/files/${file.id}/retry`, { components: [] }],
      [`/files/${file.id}/retry`, { pages: [] }],
      ['/uploads/batch-prepare', { files: [] }],
    ] as const) {
      const { status, body: refusal } = await client.post(path, body);
      assert.equal(status, 422, `${path} ${JSON.stringify(refusal)}`);
    }
    assert.equal((await client.get('/files')).body.total_count, 2);
  } finally {
    await removeSeeded(orm, tenantId);
  }
});
