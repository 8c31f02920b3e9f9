import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { TextEmbedding } from '../../../adapters/models/text-embedding/text-embedding.ts';
import type { VectorIndex } from '../../../adapters/vector-index/vector-index.ts';
import { chunkCollection } from '../../../services/documents/index-chunks.ts';
import { createServedChunks } from '../../../services/documents/served-chunks.ts';

const { signal } = new AbortController();

function fakeModel(model: string): TextEmbedding & { closed: boolean } {
  return {
    model,
    dimension: 2,
    language: 'en',
    embed: async (texts) => texts.map(() => [1, 0]),
    closed: false,
    async close() {
      this.closed = true;
    },
  };
}

const former = fakeModel('former');

/** The vectors of the former model serve, which `opening` opens. */
function served(opening: Promise<TextEmbedding>) {
  const unusable: unknown[] = [];
  const serving = { ...chunkCollection(former), settings: {} };
  const em = { fork: () => ({ find: async () => [serving] }) } as unknown as EntityManager;
  const chunks = createServedChunks({
    em: () => em,
    configured: fakeModel('new'),
    openIndex: () => ({ close: async () => undefined }) as VectorIndex,
    openModel: () => opening,
    onUnusable: (error) => unusable.push(error),
  });
  const embed = async () => {
    const { textEmbedding } = await chunks.current();
    return textEmbedding.embed(['a question'], { role: 'query', signal });
  };
  return { chunks, embed, unusable };
}

test('no search waits for the model of former vectors, which is unavailable until it is open', async () => {
  const { promise, resolve } = Promise.withResolvers<TextEmbedding>();
  const { chunks, embed } = served(promise);
  await assert.rejects(embed(), { code: 'MODEL_UNAVAILABLE', message: /being opened/ });
  resolve(former);
  await new Promise(setImmediate);
  assert.deepEqual(await embed(), [[1, 0]]);
  assert.equal((await chunks.current()).textEmbedding.language, 'en');
});

test('a former model that cannot be opened, or is another one by now, is reported once', async () => {
  const replaced = fakeModel('replaced');
  for (const opening of [Promise.reject(new Error('no such folder')), Promise.resolve(replaced)]) {
    const { embed, unusable } = served(opening);
    await assert.rejects(embed(), { code: 'MODEL_UNAVAILABLE' });
    await assert.rejects(embed(), { code: 'MODEL_UNAVAILABLE', message: /gone/ });
    assert.equal(unusable.length, 1);
  }
  assert.ok(replaced.closed);
});

test('a model that opens after the service has closed is closed', async () => {
  const { promise, resolve } = Promise.withResolvers<TextEmbedding>();
  const { chunks, embed } = served(promise);
  await assert.rejects(embed());
  await chunks.close();
  const late = fakeModel('former');
  resolve(late);
  await new Promise(setImmediate);
  assert.ok(late.closed);
});
