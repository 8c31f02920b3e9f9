import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp, { type Sharp } from 'sharp';
import { createLocalEmbedding } from '../../../adapters/models/image-embedding/local-embedding.ts';
import { forgedVariants } from '../../support/forged-variants.ts';
import { demoImage } from '../../support/images.ts';

const embedding = createLocalEmbedding();
const sample = (name: string) => sharp(demoImage(name));
const { signal } = new AbortController();
const embed = async (image: Sharp) => {
  const variant = sharp(await image.png().toBuffer())
    .resize(256, 256, { fit: 'inside', withoutEnlargement: true })
    .webp({ lossless: true });
  const [vector] = await embedding.embed([await variant.toBuffer()], { signal });
  return vector ?? [];
};
const likeness = (one: number[], other: number[]) =>
  one.reduce((sum, value, at) => sum + value * (other[at] ?? NaN), 0);

test('an embedding has the dimension of its collection and length 1, and is deterministic', async () => {
  const vector = await embed(sample('coffee.jpg'));
  assert.equal(vector.length, embedding.dimension);
  assert.ok(Math.abs(Math.hypot(...vector) - 1) < 1e-9);
  assert.deepEqual(await embed(sample('coffee.jpg')), vector);
});

const COPIES: Record<string, (image: Sharp) => Sharp> = {
  cropped: (image) => image.extract({ left: 40, top: 30, width: 360, height: 240 }),
  scaled: (image) => image.resize(150),
  recoloured: (image) => image.modulate({ hue: 60, saturation: 1.3 }),
  grey: (image) => image.greyscale(),
  recompressed: (image) => image.jpeg({ quality: 20 }),
};
for (const [kind, change] of Object.entries(COPIES)) {
  test(`a ${kind} copy is closer than any other image`, async () => {
    const original = await embed(sample('chelsea.jpg'));
    const copy = likeness(original, await embed(change(sample('chelsea.jpg'))));
    for (const name of ['coffee.jpg', 'rocket.jpg', 'astronaut.webp']) {
      const other = likeness(original, await embed(sample(name)));
      assert.ok(copy > other + 0.2, `${copy} beside ${other} of ${name}`);
    }
  });
}

test('featureless, one-pixel and transparent images have a finite embedding', async () => {
  const created = (width: number, channels: 3 | 4, background: string) =>
    sharp({ create: { width, height: width, channels, background } });
  for (const image of [created(64, 3, '#888'), created(1, 3, '#123'), created(9, 4, '#0000')]) {
    const vector = await embed(image);
    assert.ok(vector.every(Number.isFinite));
    assert.ok(Math.hypot(...vector) <= 1 + 1e-9);
  }
});

test('only variants are decoded: anything else in their place has no vector', async () => {
  const forged = await forgedVariants();
  const vectors = await embedding.embed(Object.values(forged), { signal });
  assert.deepEqual(
    vectors,
    Object.values(forged).map(() => null),
  );
});
