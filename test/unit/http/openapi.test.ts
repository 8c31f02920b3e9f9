import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { STATUS_OF } from '../../../api/http/errors.ts';
import { openApiDocument } from '../../../api/http/openapi.ts';
import { ROUTES } from '../../../api/routes/index.ts';

test('the committed OpenAPI document matches the routes (npm run openapi writes it)', () => {
  const committed: unknown = JSON.parse(
    readFileSync(new URL('../../../api/openapi.json', import.meta.url), 'utf8'),
  );
  assert.deepEqual(JSON.parse(JSON.stringify(openApiDocument(ROUTES))), committed);
});

test('every operation has a unique id', () => {
  const ids = ROUTES.map(({ operationId }) => operationId);
  assert.equal(new Set(ids).size, ids.length);
});

test('every documented error is a 4xx or an outage', () => {
  for (const status of Object.values(STATUS_OF)) assert.ok((status >= 400 && status < 500) || status === 503);
});
