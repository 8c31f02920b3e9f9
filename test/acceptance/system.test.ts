import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient, sharedRun } from '../support/api.ts';

const client = createClient(sharedRun());

test('health, readiness and metrics answer without a key', async () => {
  const { status, body } = await client.get(`${client.origin}/healthz`);
  assert.deepEqual([status, body], [200, { status: 'ok' }]);
  const ready = await client.get(`${client.origin}/readyz`);
  assert.equal(ready.status, 200);
  assert.deepEqual(ready.body.checks, {
    database: true,
    object_store: true,
    workflow_engine: true,
    vector_index: true,
  });
  const metrics = await client.get(`${client.origin}/metrics`);
  assert.match(metrics.body, /darkroom_http_request_seconds_bucket/);
});

test('metrics are not served through a proxy', async () => {
  const answer = await client.request('GET', `${client.origin}/metrics`, {
    headers: { 'X-Forwarded-For': '203.0.113.7' },
  });
  assert.equal(answer.status, 404);
});

test('the OpenAPI document names every operation, its security and its errors', async () => {
  const { body } = await client.get('/openapi.json');
  assert.equal(body.openapi, '3.1.0');
  const operations = Object.values(body.paths).flatMap((path) => Object.values(path as object));
  assert.deepEqual(operations.map(({ operationId }) => operationId).toSorted(), [
    'abortDirectUpload',
    'cancelUploadSession',
    'changeFile',
    'checkDuplicates',
    'checkQuota',
    'completeDirectUpload',
    'confirmUploadPart',
    'createDirectUpload',
    'deleteFile',
    'deleteFiles',
    'downloadFile',
    'findSimilarFiles',
    'getDeletion',
    'getDirectUpload',
    'getFile',
    'getFileTimeline',
    'getFileVariant',
    'getProcessingStatus',
    'getUploadSessionResults',
    'getUploadSessionStatus',
    'getUploadSessionSummary',
    'getUploadStatus',
    'legacyCancelUploadSession',
    'legacyCheckDuplicates',
    'legacyCheckQuota',
    'legacyCleanUpBatches',
    'legacyConfirmBatch',
    'legacyConfirmUpload',
    'legacyGetBatchStatus',
    'legacyGetImage',
    'legacyGetUploadSessionResults',
    'legacyGetUploadSessionStatus',
    'legacyGetUploadStatus',
    'legacyListPendingBatches',
    'legacyListStuckUploads',
    'legacyListUploadSessions',
    'legacyPrepareBatch',
    'legacyRecoverBatch',
    'legacyRequestPresignedUrl',
    'legacyUploadBatch',
    'legacyUploadFile',
    'listDeletions',
    'listFiles',
    'listStuckFiles',
    'listUploadSessions',
    'logUploadEvent',
    'openLiveConnection',
    'pauseUploadSession',
    'restoreFile',
    'resumeUploadSession',
    'retryFile',
    'retryUploadPart',
    'retryUploadSession',
    'streamUploadSessionEvents',
    'triggerVariants',
    'uploadBatch',
    'uploadFile',
  ]);
  assert.ok(operations.every(({ responses }) => responses['422'] ?? responses['401']));
  assert.ok(operations.every(({ responses }) => responses['500']));
  assert.deepEqual(Object.keys(body.components.securitySchemes), ['bearer', 'apiKey']);
});

test('the documentation page loads nothing from other origins', async () => {
  const page = await client.get('/docs');
  assert.equal(page.status, 200);
  for (const [, asset] of page.body.matchAll(/(?:src|href)="([^"]+)"/g)) {
    assert.doesNotMatch(asset, /^https?:/);
    assert.equal((await client.get(`/${asset}`)).status, 200, asset);
  }
});

test('names of built-in object properties are not documentation assets', async () => {
  for (const name of ['constructor', '__proto__', 'toString']) {
    assert.equal((await client.get(`${client.origin}/docs/${name}`)).status, 404, name);
  }
});

test('the request id of the client is echoed, a malformed one is replaced', async () => {
  const given = await client.request('GET', '/files', { headers: { 'X-Request-Id': 'abc-1' } });
  assert.equal(given.headers.get('x-request-id'), 'abc-1');
  const bad = await client.request('GET', '/files', { headers: { 'X-Request-Id': 'a b' } });
  assert.notEqual(bad.headers.get('x-request-id'), 'a b');
});
