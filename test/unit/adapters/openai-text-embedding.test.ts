import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { classifyModelFailure } from '../../../activities/classify-failures.ts';
import { ModelError } from '../../../adapters/models/model-error.ts';
import { createOpenAiTextEmbedding } from '../../../adapters/models/text-embedding/create-text-embedding.ts';

/** The error of an endpoint that answers this instead of four numbers. */
async function failureOf(vector: string, context: TestContext): Promise<ModelError> {
  const server = createServer((_request, response) => {
    response.setHeader('Content-Type', 'application/json');
    response.end(`{"data":[{"index":0,"embedding":${vector}}]}`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const embedding = createOpenAiTextEmbedding({
    baseUrl: `http://127.0.0.1:${port}/v1`,
    model: 'm',
    dimension: 4,
  });
  const signal = AbortSignal.timeout(10_000);
  const error: unknown = await embedding.embed(['a text'], { role: 'query', signal }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof ModelError, `${vector}: ${String(error)}`);
  return error;
}

test('a vector of the wrong dimension is retryable', async (context) => {
  const error = await failureOf('[1, 2, 3]', context);
  assert.match(error.message, /3 dimensions where 4 are configured/);
  assert.equal(classifyModelFailure(error)?.kind, 'retryable');
});

test('a vector without direction, or beyond all numbers, is an invalid reply', async (context) => {
  for (const vector of ['[0, 0, 0, 0]', '[1e308, 1e308, 1e308, 1e308]', '[1e999, 0, 0, 1]'])
    assert.equal((await failureOf(vector, context)).code, 'MODEL_INVALID_REPLY', vector);
});
