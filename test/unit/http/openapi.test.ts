import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { z } from 'zod';
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

test('null means "not given" for every optional field of a JSON body', () => {
  const strict: string[] = [];
  const walk = (at: string, schema: JsonSchema): void => {
    for (const branch of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) walk(at, branch);
    if (schema.items) walk(`${at}/*`, schema.items);
    for (const [name, field] of Object.entries(schema.properties ?? {})) {
      const optional = !schema.required?.includes(name);
      if (optional && !allowsNull(field)) strict.push(`${at}/${name}`);
      walk(`${at}/${name}`, field);
    }
  };
  for (const { operationId, body } of ROUTES) {
    if (body) walk(operationId, z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' }) as JsonSchema);
  }
  assert.deepEqual(strict, []);
});

interface JsonSchema {
  type?: string | string[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  required?: string[];
}

function allowsNull({ type, anyOf = [] }: JsonSchema): boolean {
  return [type].flat().includes('null') || anyOf.some(allowsNull);
}
