import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it, test } from 'node:test';
import { readModelSource } from '../../../engines/onnx/config.ts';
import {
  createFormerTextEmbedding,
  createTextEmbedding,
  textModelSettings,
} from '../../../adapters/models/text-embedding/create-text-embedding.ts';
import { textEmbeddingConfig } from '../../../adapters/models/text-embedding/config.ts';
import { ModelError } from '../../../adapters/models/model-error.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { writeSentenceModel } from '../../support/sentence-model.ts';

const folder = mkdtempSync(join(tmpdir(), 'onnx-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const MEANINGS = { meanings: [['car', 'wagen'], ['stone'], ['query'], ['passage']] };
const COMMIT = 'c'.repeat(40);

/** The folder of a new model. */
function newModel(name: string, ...options: [Parameters<typeof writeSentenceModel>[2]?]): string {
  const path = join(folder, name);
  writeSentenceModel(path, MEANINGS, ...options);
  return path;
}
const open = (setting: string, settings: Record<string, string> = {}) =>
  createTextEmbedding({
    ...readConfig([textEmbeddingConfig], {
      TEXT_EMBEDDING: setting,
      MODEL_FOLDER: join(folder, 'kept'),
      ...settings,
    }),
    OPENAI_BASE_URL: undefined,
    OPENAI_API_KEY: undefined,
  });
const cosine = (a: readonly number[] = [], b: readonly number[] = []): number =>
  a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);

describe('a sentence model of a folder', () => {
  it('embeds texts as unit vectors by their meaning, whatever else is in the request', async (context) => {
    const { signal } = context;
    const embedding = await open(`local:${newModel('words')}`);
    context.after(() => embedding.close());
    const texts = ['a car', 'Ein Wagen', 'a stone', '', 'car '.repeat(5000)];
    const vectors = await embedding.embed(texts, { role: 'passage', signal });
    for (const [at, vector] of vectors.entries()) {
      assert.equal(vector.length, embedding.dimension);
      const length = texts[at] === '' ? 0 : 1;
      assert.ok(Math.abs(Math.hypot(...vector) - length) < 1e-6);
    }
    const [car, wagen, stone] = vectors;
    assert.ok(cosine(car, wagen) > 0.99);
    assert.ok(cosine(car, stone) < 0.6);
    const [alone] = await embedding.embed(['a car'], { role: 'passage', signal });
    assert.ok(cosine(car, alone) > 0.9999, 'padding changes no vector');
  });

  it('puts the prefix of its role before each text', async (context) => {
    const { signal } = context;
    const embedding = await open(`local:${newModel('e5-words')}`);
    context.after(() => embedding.close());
    const [query] = await embedding.embed(['car'], { role: 'query', signal });
    const [passage] = await embedding.embed(['car'], { role: 'passage', signal });
    assert.ok((query?.[2] ?? 0) > 0.5 && query?.[3] === 0);
    assert.ok((passage?.[3] ?? 0) > 0.5 && passage?.[2] === 0);
  });

  it('uses the first token where its files say so', async (context) => {
    const { signal } = context;
    const others = { '1_Pooling/config.json': { pooling_mode_cls_token: true } };
    const embedding = await open(`local:${newModel('cls', { others })}`);
    context.after(() => embedding.close());
    const [vector] = await embedding.embed(['car stone stone'], { role: 'query', signal });
    assert.equal(vector?.[0], 1);
  });

  it('prefers quantised weights, and takes full precision and weights beside config.json as well', async (context) => {
    const { signal } = context;
    const path = newModel('both', { weights: 'onnx/model.onnx' });
    const full = await open(`local:${path}`);
    writeFileSync(join(path, 'onnx/model_quantized.onnx'), 'not read by full precision');
    const broken = await open(`local:${path}`);
    assert.notEqual(broken.model, full.model);
    const root = await open(`local:${newModel('root', { weights: 'model.onnx' })}`);
    context.after(() => Promise.all([full.close(), broken.close(), root.close()]));
    assert.equal((await root.embed(['car'], { role: 'query', signal })).length, 1);
    await assert.rejects(broken.embed(['car'], { role: 'query', signal }), (error) => {
      assert.ok(error instanceof ModelError);
      assert.equal(error.code, 'MODEL_UNAVAILABLE');
      assert.match((error.cause as Error).message, /both: /);
      return true;
    });
  });

  it('is another model after its weights were replaced', async () => {
    const path = newModel('replaced');
    const { model } = await open(`local:${path}`);
    assert.equal((await open(`local:${path}`)).model, model);
    writeSentenceModel(path, { meanings: [['car'], ['stone', 'wagen'], ['query'], ['passage']] });
    assert.notEqual((await open(`local:${path}`)).model, model);
  });

  it('starts another thread after the first has ended', async (context) => {
    const { signal } = context;
    const embedding = await open(`local:${newModel('thread')}`);
    context.after(() => embedding.close());
    const first = await embedding.embed(['car'], { role: 'query', signal });
    await embedding.close();
    assert.deepEqual(await embedding.embed(['car'], { role: 'query', signal }), first);
  });

  it('embeds nothing for a query whose request gave up while it waited', async (context) => {
    const embedding = await open(`local:${newModel('waiting')}`);
    context.after(() => embedding.close());
    const running = embedding.embed(['car'], { role: 'query', signal: context.signal });
    const request = new AbortController();
    const waiting = embedding.embed(['stone'], { role: 'query', signal: request.signal });
    request.abort();
    await assert.rejects(waiting, { name: 'AbortError' });
    assert.equal((await running).length, 1);
    assert.equal((await embedding.embed(['car'], { role: 'query', signal: context.signal })).length, 1);
  });

  it('is refused with one line that says what to do', async () => {
    await assert.rejects(
      open(`local:${join(folder, 'absent')}`),
      /TEXT_EMBEDDING: .*absent cannot be read .*check the path/,
    );
    const path = newModel('incomplete');
    rmSync(join(path, 'tokenizer.json'));
    await assert.rejects(open(`local:${path}`), /TEXT_EMBEDDING: .*has no tokenizer.json/);
    rmSync(join(path, 'onnx'), { recursive: true });
    await assert.rejects(open(`local:${path}`), /TEXT_EMBEDDING: .*has no onnx\/model_quantized.onnx/);
  });
});

describe('a model of a hub', () => {
  /** Serves a folder as the commit of a repository. */
  async function hub(path: string, spoilt?: string) {
    const names = [
      'config.json',
      'tokenizer.json',
      'tokenizer_config.json',
      'onnx/model_quantized.onnx',
      'README.md',
    ];
    const files = names.map((name) => {
      const content = name === 'README.md' ? Buffer.from('read me') : readFileSync(join(path, name));
      const lfs = name.endsWith('.onnx') && { sha256: createHash('sha256').update(content).digest('hex') };
      const blobId = createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
      return { content, entry: { rfilename: name, size: content.length, blobId, ...(lfs && { lfs }) } };
    });
    const asked: string[] = [];
    const server = createServer((request, response) => {
      const url = request.url ?? '';
      asked.push(url);
      if (url === `/api/models/org/words/revision/${COMMIT}?blobs=true`) {
        response.end(JSON.stringify({ sha: COMMIT, siblings: files.map(({ entry }) => entry) }));
        return;
      }
      const found = files.find(({ entry }) => url === `/org/words/resolve/${COMMIT}/${entry.rfilename}`);
      response.statusCode = found ? 200 : 404;
      const spoil = found?.entry.rfilename === spoilt;
      response.end(spoil ? found?.content.map((byte) => byte ^ 1) : found?.content);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    after(() => server.close());
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, server };
  }
  const NAMED = `local:org/words@${COMMIT}`;

  it('is fetched once, without the files that are not read, and then needs no network', async (context) => {
    const { signal } = context;
    const { url, asked, server } = await hub(newModel('published'));
    const settings = { MODEL_HUB_URL: url, MODEL_FOLDER: join(folder, 'once') };
    const embedding = await open(NAMED, settings);
    context.after(() => embedding.close());
    assert.equal((await embedding.embed(['car'], { role: 'query', signal })).length, 1);
    assert.equal(asked.length, 5);
    assert.ok(!asked.some((path) => path.includes('README')));
    server.close();
    assert.equal((await open(NAMED, settings)).model, embedding.model);
  });

  it('is refused if a file is not the one of the list', async () => {
    for (const spoilt of ['config.json', 'onnx/model_quantized.onnx']) {
      const { url } = await hub(newModel('spoilt'), spoilt);
      const settings = { MODEL_HUB_URL: url, MODEL_FOLDER: join(folder, 'spoilt-kept') };
      await assert.rejects(open(NAMED, settings), /does not have the hash of the list/);
    }
  });

  it('removes what a killed fetch left, and neither a running fetch nor anything else', async () => {
    const kept = join(folder, 'left');
    const { url } = await hub(newModel('complete'));
    const at = (commit: string, id: string) => `org--words@${commit}.${id}`;
    const old = at('d'.repeat(40), randomUUID());
    const others = [at(COMMIT, randomUUID()), `org--words@${'d'.repeat(40)}`, 'notes'];
    for (const name of [old, ...others]) mkdirSync(join(kept, name, 'onnx'), { recursive: true });
    const dayAgo = new Date(Date.now() - 86_400_000);
    for (const name of [old, ...others.slice(1)]) utimesSync(join(kept, name), dayAgo, dayAgo);
    const settings = { MODEL_HUB_URL: url, MODEL_FOLDER: kept };
    await open(NAMED, settings);
    const expected = [...others, `org--words@${COMMIT}`].toSorted();
    assert.deepEqual(readdirSync(kept).toSorted(), expected);
    // Also beside a model that is there: the process started again and fetched it at once.
    mkdirSync(join(kept, old));
    utimesSync(join(kept, old), dayAgo, dayAgo);
    await open(NAMED, settings);
    assert.deepEqual(readdirSync(kept).toSorted(), expected);
  });

  it('says what to do without the hub', async () => {
    await assert.rejects(
      open(NAMED, { MODEL_HUB_URL: 'http://127.0.0.1:1' }),
      /TEXT_EMBEDDING: org\/words could not be fetched from http:\/\/127.0.0.1:1 .*copy the folder of the model/,
    );
  });
});

test('a former model is opened by its own settings, whatever is set today', async () => {
  const config = (settings: Record<string, string>) => ({
    ...readConfig([textEmbeddingConfig], settings),
    OPENAI_BASE_URL: 'http://127.0.0.1:1/v1',
    OPENAI_API_KEY: 'key',
  });
  const local = config({ TEXT_EMBEDDING: `local:${newModel('today')}` });
  const endpoint = config({ TEXT_EMBEDDING_MODEL: 'm', TEXT_EMBEDDING_DIMENSION: '7' });
  const bundled = config({});
  for (const former of [local, endpoint, bundled]) {
    const embedding = await createTextEmbedding(former);
    const settings = textModelSettings(former, embedding);
    const stored = JSON.parse(JSON.stringify(settings)) as Record<string, unknown>;
    assert.ok(!JSON.stringify(stored).includes('key'));
    const expected = embedding.model;
    for (const today of [local, endpoint, bundled])
      assert.equal((await createFormerTextEmbedding(today, stored)).model, expected);
  }
});

describe('the setting', () => {
  it('names a folder, or a repository at a commit', () => {
    assert.deepEqual(readModelSource('local:/models/e5'), { folder: '/models/e5' });
    assert.deepEqual(readModelSource('local:./e5'), { folder: './e5' });
    assert.deepEqual(readModelSource(NAMED_E5), {
      repository: 'Xenova/multilingual-e5-small',
      commit: COMMIT,
    });
    for (const wrong of ['e5', 'local:', 'local:e5', 'local:org/e5', 'local:org/e5@main', 'remote:/x'])
      assert.throws(() => readModelSource(wrong), /must be local:/);
  });

  it('excludes a model of an endpoint', () => {
    const both = { TEXT_EMBEDDING: 'local:/a', TEXT_EMBEDDING_MODEL: 'm', TEXT_EMBEDDING_DIMENSION: '2' };
    assert.throws(() => readConfig([textEmbeddingConfig], both), /TEXT_EMBEDDING: is set, and so is/);
  });
});
const NAMED_E5 = `local:Xenova/multilingual-e5-small@${COMMIT}`;
