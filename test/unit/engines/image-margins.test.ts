import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measureMargins } from '../../../engines/image-decoder/measure/measure-margins.ts';
import type { Raster } from '../../../engines/image-decoder/codec.ts';

type Rgb = readonly [number, number, number];
const WHITE: Rgb = [255, 255, 255];

function paint(width: number, height: number, colour: (x: number, y: number) => Rgb): Raster {
  const data = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) data.set(colour(x, y), (y * width + x) * 3);
  return { data, width, height, channels: 3 };
}

/** Pixels like those of a photograph: no row or column has a single colour. */
const busy = (x: number, y: number): Rgb => [(x * 37) % 200, (y * 53) % 200, ((x + y) * 29) % 200];
const within = (at: number, from: number, to: number) => at >= from && at < to;

test('a border around an image is measured on each side', async () => {
  const framed = paint(400, 300, (x, y) =>
    within(x, 8, 392) && within(y, 12, 288) ? busy(x, y) : ([30, 30, 30] as const),
  );
  const { bands, whiteRing } = await measureMargins(framed);
  assert.deepEqual(bands, { top: 12 / 300, right: 8 / 400, bottom: 12 / 300, left: 8 / 400 });
  assert.equal(whiteRing, 0);
});

test('the even background of an object is not a border', async () => {
  const object = (background: Rgb) =>
    paint(400, 300, (x, y) => (Math.hypot(x - 200, y - 150) < 120 ? busy(x, y) : background));
  for (const background of [WHITE, [90, 120, 150]] as const) {
    const { bands } = await measureMargins(object(background));
    assert.deepEqual(bands, { top: 0, right: 0, bottom: 0, left: 0 });
  }
});

test('a white border around a photograph is a border', async () => {
  const { bands } = await measureMargins(
    paint(400, 300, (x, y) => (within(x, 10, 390) && within(y, 10, 290) ? busy(x, y) : WHITE)),
  );
  assert.ok(Object.values(bands).every((depth) => depth > 0.02));
});

test('an image of one colour has no border, and neither has an image without any', async () => {
  const none = { top: 0, right: 0, bottom: 0, left: 0 };
  assert.deepEqual((await measureMargins(paint(40, 30, () => [9, 9, 9]))).bands, none);
  assert.deepEqual((await measureMargins(paint(40, 30, busy))).bands, none);
});

test('measures the share of white at the edge and the extent of the rest', async () => {
  const half = await measureMargins(paint(100, 100, (x) => (x < 50 ? WHITE : [0, 0, 0])));
  assert.equal(half.whiteRing, 0.5);
  assert.deepEqual(half.subject, { width: 0.5, height: 1 });
  const { subject, whiteRing } = await measureMargins(
    paint(200, 100, (x, y) => (within(x, 20, 180) && within(y, 40, 60) ? [200, 0, 0] : WHITE)),
  );
  assert.deepEqual([whiteRing, subject], [1, { width: 0.8, height: 0.2 }]);
});

test('a white image has no subject, and a speck is not one either', async () => {
  const speck = paint(400, 300, (x, y) => (x === 200 && y === 150 ? [0, 0, 0] : WHITE));
  assert.deepEqual(
    [(await measureMargins(speck)).subject, (await measureMargins(speck)).whiteRing],
    [null, 1],
  );
});

test('transparency counts as white, and the smallest images can be measured', async () => {
  const data = new Uint8Array(4 * 4 * 4);
  const { whiteRing } = await measureMargins({ data, width: 4, height: 4, channels: 4 });
  assert.equal(whiteRing, 1);
  const { subject } = await measureMargins({
    data: Uint8Array.of(1, 2, 3),
    width: 1,
    height: 1,
    channels: 3,
  });
  assert.deepEqual(subject, { width: 1, height: 1 });
});
