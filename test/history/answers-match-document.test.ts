import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient, sharedRun } from '../support/api.ts';
import { readObserved } from '../support/observed-answers.ts';
import { createOpenApiContract } from '../support/openapi-contract.ts';

/** Runs after all other tests, and checks every response that they received against the OpenAPI document. */
test('every response and every message matches the OpenAPI document in status, code, headers and body', async () => {
  const { body: document } = await createClient(sharedRun()).get('/openapi.json');
  const contract = createOpenApiContract(document);
  const observed = readObserved();
  assert.ok(observed.length > 0, 'run tests that call the API before this one');

  const breaches = new Map<string, string>();
  for (const one of observed) {
    const where = 'schema' in one ? one.schema : contract.operationOf(one.method, one.path)?.id;
    for (const breach of contract.breachesOf(one)) {
      const kind = `${where}: ${breach.replaceAll(/\/\d+/g, '/0')}`;
      if (!breaches.has(kind)) breaches.set(kind, JSON.stringify(one).slice(0, 400));
    }
  }
  assert.deepEqual(Object.fromEntries(breaches), {});
});
