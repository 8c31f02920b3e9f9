import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { classifyModelFailure } from '../../../activities/classify-failures.ts';
import { ModelError } from '../../../adapters/models/model-error.ts';
import { createOpenAiTextEmbedding } from '../../../adapters/models/text-embedding/create-text-embedding.ts';

test('a vector of the wrong dimension and a rejected API key are retryable', async (context) => {
  const server = createServer((_request, response) => {
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ data: [{ index: 0, embedding: [1, 2, 3] }] }));
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
  const error: unknown = await embedding.embed(['a text'], { signal }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof ModelError, String(error));
  assert.match(error.message, /3 dimensions where 4 are configured/);
  assert.equal(classifyModelFailure(error)?.kind, 'retryable');
});
