import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import sharp from 'sharp';
import { forgedVariants } from '../../support/forged-variants.ts';
import { imageEmbeddingConfig } from '../../../adapters/models/image-embedding/config.ts';
import { onnxConfig } from '../../../engines/onnx/config.ts';
import { ModelError } from '../../../adapters/models/model-error.ts';
import { createImageEmbedding } from '../../../adapters/models/image-embedding/create-image-embedding.ts';

interface Asked {
  path: string | undefined;
  key: string | undefined;
  input: Record<string, string>[];
}

/** An endpoint for which all inputs are alike, except those that it refuses, and what it was asked. */
async function startEndpoint(
  context: TestContext,
  {
    dimension = 2,
    refuses = () => 0,
  }: { dimension?: number; refuses?: (input: Asked['input']) => number } = {},
) {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    void request.toArray().then((chunks: Buffer[]) => {
      const { input } = JSON.parse(Buffer.concat(chunks).toString()) as Asked;
      asked.push({ path: request.url, key: request.headers.authorization, input });
      const data = input.map((_, index) => ({
        index,
        embedding: Array.from({ length: dimension }, () => 3),
      }));
      response.statusCode = refuses(input) || 200;
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify({ data: data.toReversed() }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const embedding = await createImageEmbedding({
    ...onnxConfig.parse({}),
    ...imageEmbeddingConfig.parse({
      IMAGE_EMBEDDING_MODEL: 'clip',
      IMAGE_EMBEDDING_DIMENSION: '2',
      IMAGE_EMBEDDING_BASE_URL: `http://127.0.0.1:${port}/v1`,
      IMAGE_EMBEDDING_API_KEY: 'secret',
    }),
  });
  return { asked, embedding };
}

const { signal } = new AbortController();
const image = (format: 'jpeg' | 'webp') =>
  sharp({ create: { width: 4, height: 4, channels: 3, background: '#f00' } })
    .toFormat(format)
    .toBuffer();

test('an endpoint gets images as data URLs, some at a time, and texts', async (context) => {
  const { asked, embedding } = await startEndpoint(context);
  const [jpeg, webp] = [await image('jpeg'), await image('webp')];
  const vectors = await embedding.embed([jpeg, webp, ...Array.from({ length: 7 }, () => jpeg)], { signal });
  assert.equal(vectors.length, 9);
  for (const vector of vectors) assert.ok(Math.abs(Math.hypot(...(vector ?? [])) - 1) < 1e-9);
  assert.deepEqual(
    asked.map(({ path, key, input }) => [path, key, input.length]),
    [
      ['/v1/embeddings', 'Bearer secret', 8],
      ['/v1/embeddings', 'Bearer secret', 1],
    ],
  );
  assert.deepEqual(asked[0]?.input.slice(0, 2), [
    { image: `data:image/jpeg;base64,${jpeg.toString('base64')}` },
    { image: `data:image/webp;base64,${webp.toString('base64')}` },
  ]);
  assert.equal((await embedding.embedText?.('a red bicycle', { signal }))?.length, 2);
  assert.deepEqual(asked[2]?.input, [{ text: 'a red bicycle' }]);
});

test('an endpoint gets no image that cannot be read, since it would refuse the others as well', async (context) => {
  const { asked, embedding } = await startEndpoint(context);
  const forged = Object.values(await forgedVariants());
  const jpeg = await image('jpeg');
  const vectors = await embedding.embed([...forged, jpeg], { signal });
  assert.deepEqual(
    vectors.map((vector) => vector?.length),
    [...forged.map(() => undefined), 2],
  );
  assert.deepEqual(
    asked.map(({ input }) => input.length),
    [1],
  );
});

test('an image is refused only by an endpoint that accepts another one', async (context) => {
  const [jpeg, webp] = [await image('jpeg'), await image('webp')];
  const codes: Record<string, string> = {};
  for (const [what, refuses] of Object.entries({
    'one image': (input: Asked['input']) => (input.some(({ image: url }) => url?.includes('webp')) ? 422 : 0),
    'every image': () => 422,
    'the key': () => 401,
  })) {
    const { embedding } = await startEndpoint(context, { refuses });
    const error: unknown = await embedding.embed([jpeg, webp], { signal }).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof ModelError);
    codes[what] = error.code;
  }
  assert.deepEqual(codes, {
    'one image': 'MODEL_REFUSED',
    'every image': 'MODEL_UNAVAILABLE',
    'the key': 'MODEL_UNAUTHORIZED',
  });
});

test('vectors of another dimension than configured pause the work', async (context) => {
  const { embedding } = await startEndpoint(context, { dimension: 3 });
  await assert.rejects(embedding.embedText?.('red', { signal }) ?? Promise.resolve(), {
    name: 'ModelError',
    code: 'MODEL_UNAVAILABLE',
    message: /3 dimensions where 2 are configured/,
  });
});

test('a model at an endpoint needs its address and dimension, and excludes a local one', () => {
  const issuesOf = (given: Record<string, string>) =>
    imageEmbeddingConfig.safeParse(given).error?.issues.map(({ path }) => path.join('.')) ?? [];
  assert.deepEqual(issuesOf({}), []);
  assert.deepEqual(issuesOf({ IMAGE_EMBEDDING_MODEL: 'clip' }).toSorted(), [
    'IMAGE_EMBEDDING_BASE_URL',
    'IMAGE_EMBEDDING_DIMENSION',
  ]);
  assert.deepEqual(issuesOf({ IMAGE_EMBEDDING: 'clip' }), ['IMAGE_EMBEDDING']);
  assert.deepEqual(
    issuesOf({
      IMAGE_EMBEDDING: 'local:/models/clip',
      IMAGE_EMBEDDING_MODEL: 'clip',
      IMAGE_EMBEDDING_DIMENSION: '2',
      IMAGE_EMBEDDING_BASE_URL: 'https://example.com/v1',
    }),
    ['IMAGE_EMBEDDING'],
  );
});
