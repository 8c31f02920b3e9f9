import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { EntityManager } from '@mikro-orm/postgresql';
import {
  createImageEmbedding,
  openOwnModel,
} from '../../../adapters/models/image-embedding/create-image-embedding.ts';
import { imageEmbeddingConfig } from '../../../adapters/models/image-embedding/config.ts';
import {
  createSightEmbedding,
  SIGHT_MODEL,
} from '../../../adapters/models/image-embedding/sight-embedding.ts';
import type { Seen } from '../../../adapters/models/sight/thread.ts';
import { PAIR } from '../../../adapters/models/text-embedding/paired-models.ts';
import type { VectorIndex } from '../../../adapters/vector-index/vector-index.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { folderName, MODELS, usableModel } from '../../../engines/models/catalogue.ts';
import { onnxConfig } from '../../../engines/onnx/config.ts';
import { createServedImages } from '../../../services/images/served-images.ts';

const folder = await mkdtemp(join(tmpdir(), 'darkroom-models-'));
after(() => rm(folder, { recursive: true }));
const config = readConfig([onnxConfig, imageEmbeddingConfig], { MODELS_DIR: folder });
const arrive = async (...names: string[]) => {
  for (const model of MODELS) if (names.includes(model.name)) await mkdir(join(folder, folderName(model)));
};

test('each part of the own models is used once it is there, by searches of a running process as well', async (t) => {
  const nameOf = async () => (await createImageEmbedding(config)).model;
  const configured = await createImageEmbedding(config);
  const row = { collection: 'of the workers', dimension: 3, settings: { model: SIGHT_MODEL } };
  const served = createServedImages({
    em: () => ({ fork: () => ({ find: async () => [row] }) }) as unknown as EntityManager,
    configured,
    openIndex: () => ({ close: async () => undefined }) as VectorIndex,
    openModel: (model) => (model === SIGHT_MODEL ? openOwnModel(config, {}) : undefined),
  });
  t.after(() => served.close());
  const findsByTexts = async () => (await served.current()).embedding.embedText !== undefined;
  assert.equal(await findsByTexts(), false);

  await arrive('image-classes', 'image-objects');
  if (!usableModel('image-classes', config)) return t.skip('no model runs on this machine');
  assert.equal(await nameOf(), 'efficientnet-lite2-v1', 'as before, until it is replaced once');
  assert.equal(await findsByTexts(), false);

  await arrive('english-sentences', 'multilingual-sentences');
  assert.equal(await nameOf(), SIGHT_MODEL);
  assert.equal(await findsByTexts(), true);
  let closed = 0;
  const close = async () => void (closed += 1);
  await openOwnModel(config, { texts: { ...PAIR, embed: async () => [], close } })?.close();
  assert.equal(closed, 0, 'the model for texts of the process stays open');
});

test('who leaves while the names are embedded does not wait for them', { timeout: 60_000 }, async () => {
  const leave = new AbortController();
  const never = () => {
    setImmediate(() => leave.abort(new Error('left')));
    return new Promise<never>(() => undefined);
  };
  const see = async () => ({}) as Seen;
  const sight = { isThere: () => true, see, recall: see, close: async () => undefined };
  const embedding = createSightEmbedding(sight, { embed: never });
  await assert.rejects(embedding.embed([Buffer.from('image')], { signal: leave.signal }), /left/);
});
