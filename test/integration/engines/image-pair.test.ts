import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import sharp from 'sharp';
import { openImagePair } from '../../../adapters/models/image-embedding/onnx-image-embedding.ts';
import { onnxConfig } from '../../../engines/onnx/config.ts';
import { OnnxModelError } from '../../../engines/onnx/open-model.ts';
import { forgedVariants } from '../../support/forged-variants.ts';
import { writeImagePair } from '../../support/onnx-pair.ts';

const root = mkdtempSync(join(tmpdir(), 'darkroom-pair-'));
after(() => rmSync(root, { recursive: true, force: true }));
const config = onnxConfig.parse({ MODEL_FOLDER: root });
const { signal } = new AbortController();
const likeness = (one: readonly number[], other: readonly number[] = []) =>
  one.reduce((sum, value, at) => sum + value * (other[at] ?? NaN), 0);

const image = (background: string, format: 'jpeg' | 'webp' = 'jpeg') =>
  sharp({ create: { width: 90, height: 60, channels: 4, background } })
    .toFormat(format)
    .toBuffer();

for (const architecture of ['clip', 'siglip'] as const) {
  test(`the vector of a text is nearest to the image that it describes, by ${architecture}`, async (context) => {
    const folder = join(root, architecture);
    writeImagePair(folder, architecture);
    const pair = await openImagePair(`local:${folder}`, config);
    context.after(() => pair.close());
    assert.equal(pair.dimension, 3);
    assert.match(pair.model, new RegExp(`^${architecture}-[0-9a-f]{12}$`));
    const names = ['red', 'green', 'blue', 'white'];
    const images = await Promise.all([
      image('#ff0000'),
      image('#00ff00', 'webp'),
      image('#0000ff'),
      // Transparent areas are shown as white.
      image('#ff000000', 'webp'),
    ]);
    const vectors = await pair.embed(images, { signal });
    for (const vector of vectors) assert.ok(vector && Math.abs(Math.hypot(...vector) - 1) < 1e-4);
    for (const [at, name] of names.entries()) {
      const query = await pair.embedText(`A ${name.toUpperCase()} picture, please`, { signal });
      const scores = vectors.map((vector) => likeness(query, vector ?? []));
      assert.equal(scores.indexOf(Math.max(...scores)), at, `${name}: ${scores.join(', ')}`);
    }
    // No word of a colour has no direction, and a text of any length has a vector.
    assert.deepEqual(await pair.embedText('wheel', { signal }), [0, 0, 0]);
    const long = await pair.embedText('red '.repeat(1000), { signal });
    assert.ok(likeness(long, vectors[0] ?? []) > 0.99);
  });
}

test('anything else in the place of a variant has no vector, and the images beside it have theirs', async (context) => {
  const folder = join(root, 'forged');
  writeImagePair(folder);
  const pair = await openImagePair(`local:${folder}`, config);
  context.after(() => pair.close());
  const red = await image('#ff0000');
  const forged = Object.entries(await forgedVariants());
  const vectors = await pair.embed([...forged.map(([, bytes]) => bytes), red], { signal });
  for (const [at, [name]] of forged.entries()) assert.equal(vectors[at], null, name);
  assert.equal(vectors.at(-1)?.length, 3);
});

test('a query that is given up while it waits for the model ends at once, and later ones are answered', async (context) => {
  const folder = join(root, 'waiting');
  writeImagePair(folder);
  const pair = await openImagePair(`local:${folder}`, config);
  context.after(() => pair.close());
  const first = pair.embed([await image('#ff0000')], { signal });
  const gone = new AbortController();
  const waiting = pair.embedText('red', { signal: gone.signal });
  gone.abort(new Error('the client has gone'));
  await assert.rejects(waiting, /the client has gone/);
  assert.equal((await first)[0]?.length, 3);
  assert.equal((await pair.embedText('red', { signal })).length, 3);
});

test('a folder that is not of such a pair is refused with a line that says what to do', async () => {
  const refused = async (name: string, change: (folder: string) => void) => {
    const folder = join(root, name);
    writeImagePair(folder);
    change(folder);
    const error: unknown = await openImagePair(`local:${folder}`, config).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof OnnxModelError, String(error));
    assert.ok(!error.message.includes('\n'));
    return error.message;
  };
  const write = (file: string, value: object) => (folder: string) =>
    writeFileSync(join(folder, file), JSON.stringify(value));
  const remove = (file: string) => (folder: string) => rmSync(join(folder, file));
  assert.match(
    await refused('other', write('config.json', { model_type: 'bert' })),
    /bert: name the folder of a CLIP/,
  );
  assert.match(
    await refused('broken', write('config.json', { model_type: 'clip', projection_dim: 'many' })),
    /no usable dimension/,
  );
  assert.match(await refused('no text', remove('onnx/text_model.onnx')), /text_model/);
  assert.match(await refused('no images', remove('preprocessor_config.json')), /preprocessor_config\.json/);
  assert.match(await refused('no tokens', remove('tokenizer_config.json')), /tokenizer_config\.json/);
  assert.match(await refused('nowhere', (folder) => rmSync(folder, { recursive: true })), /cannot be read/);
});

test('a model that answers other dimensions than it states pauses the work', async (context) => {
  const folder = join(root, 'lies');
  writeImagePair(folder);
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ model_type: 'clip', projection_dim: 512 }));
  const pair = await openImagePair(`local:${folder}`, config);
  context.after(() => pair.close());
  await assert.rejects(pair.embedText('red', { signal }), {
    name: 'ModelError',
    code: 'MODEL_UNAVAILABLE',
    message: /3 dimensions where its config\.json says 512/,
  });
});
