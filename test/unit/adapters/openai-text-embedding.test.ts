import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { classifyModelFailure } from '../../../activities/classify-failures.ts';
import { ModelError } from '../../../adapters/models/model-error.ts';
import type { TextRole } from '../../../adapters/models/text-embedding/text-embedding.ts';
import { createOpenAiTextEmbedding } from '../../../adapters/models/text-embedding/create-text-embedding.ts';

/** The error of an endpoint that answers this instead of four numbers, and refuses some texts. */
async function failureOf(
  vector: string,
  context: TestContext,
  { role = 'query', refuses = () => false }: { role?: TextRole; refuses?: (input: string) => boolean } = {},
): Promise<ModelError> {
  const server = createServer((request, response) => {
    void request.toArray().then((chunks: Buffer[]) => {
      response.statusCode = refuses(Buffer.concat(chunks).toString()) ? 400 : 200;
      response.setHeader('Content-Type', 'application/json');
      response.end(`{"data":[{"index":0,"embedding":${vector}}]}`);
    });
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
  const signal = AbortSignal.timeout(60_000);
  const error: unknown = await embedding.embed(['a text'], { role, signal }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof ModelError, `${vector}: ${String(error)}`);
  return error;
}

test('a passage is refused only by an endpoint that accepts another one', async (context) => {
  const codeOf = async (role: TextRole, refuses: (input: string) => boolean) =>
    (await failureOf('[1, 0, 0, 0]', context, { role, refuses })).code;
  assert.equal(await codeOf('passage', (input) => input.includes('a text')), 'MODEL_REFUSED');
  assert.equal(await codeOf('passage', () => true), 'MODEL_UNAVAILABLE');
  assert.equal(await codeOf('query', () => true), 'MODEL_REFUSED');
});

test('a vector of the wrong dimension is retryable', async (context) => {
  const error = await failureOf('[1, 2, 3]', context);
  assert.match(error.message, /3 dimensions where 4 are configured/);
  assert.equal(classifyModelFailure(error)?.kind, 'retryable');
});

test('a vector without direction, or beyond all numbers, is an invalid reply', async (context) => {
  for (const vector of ['[0, 0, 0, 0]', '[1e308, 1e308, 1e308, 1e308]', '[1e999, 0, 0, 1]'])
    assert.equal((await failureOf(vector, context)).code, 'MODEL_INVALID_REPLY', vector);
});
