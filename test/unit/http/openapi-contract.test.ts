import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openApiDocument } from '../../../api/openapi/document.ts';
import { ROUTES } from '../../../api/routes/index.ts';
import { createOpenApiContract } from '../../support/openapi-contract.ts';

const contract = createOpenApiContract(JSON.parse(JSON.stringify(openApiDocument(ROUTES))));
const problem = (code: string) => ({ detail: 'no', code, request_id: 'a' });
const asked = { method: 'DELETE', path: '/files/0b2e6f9a', headers: ['x-request-id'] };
const breaches = (answer: { status: number; body: unknown; headers?: string[] }) =>
  contract.breachesOf({ ...asked, ...answer }).join('; ');

test('a response as documented has no breaches and may have undocumented fields', () => {
  const body = { id: crypto.randomUUID(), deleted_at: new Date().toISOString(), message: 'gone', more: 1 };
  assert.equal(breaches({ status: 200, body }), '');
  assert.equal(breaches({ status: 409, body: problem('WORK_IN_PROGRESS'), headers: ['retry-after'] }), '');
});

test('an undocumented status, code, header or body is a breach', () => {
  assert.match(breaches({ status: 418, body: problem('NOT_FOUND') }), /status 418/);
  assert.match(
    breaches({ status: 404, body: problem('VARIANT_NOT_READY') }),
    /code VARIANT_NOT_READY of 404/,
  );
  assert.match(breaches({ status: 200, body: {}, headers: ['location'] }), /header location/);
  assert.match(breaches({ status: 200, body: { id: 7 } }), /required property.*\/id must be string/);
});

test('fixed paths take precedence over paths with parameters', () => {
  assert.equal(contract.operationOf('GET', '/files/sessions')?.id, 'listUploadSessions');
  assert.equal(contract.operationOf('GET', '/files/0b2e6f9a')?.id, 'getFile');
  assert.equal(contract.operationOf('PUT', '/files/0b2e6f9a')?.id, undefined);
  assert.equal(contract.operationOf('DELETE', '/files/sessions')?.id, undefined);
});

test('messages are checked against their schema', () => {
  const frame = {
    channel: 'batch.a',
    seq: 1,
    type: 'batch.ended',
    timestamp: new Date().toISOString(),
    data: {},
  };
  assert.notDeepEqual(contract.breachesOf({ schema: 'UploadSessionFrame', body: frame }), []);
});
