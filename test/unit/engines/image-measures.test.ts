import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { flatShare, measureLight } from '../../../engines/image-decoder/measure/measure-image.ts';
import { measureColours } from '../../../engines/image-decoder/measure/measure-colours.ts';
import { isOpaque, type Raster } from '../../../engines/image-decoder/codec.ts';

/** A raster painted by a function of the coordinates. */
function paint(width: number, height: number, colour: (x: number, y: number) => readonly number[]): Raster {
  const rows = Array.from({ length: height }, (_, y) =>
    Array.from({ length: width }, (_, x) => colour(x, y)),
  );
  const channels = rows[0]?.[0]?.length === 4 ? 4 : 3;
  return { data: Uint8Array.from(rows.flat(2)), width, height, channels };
}

const raster = fc
  .tuple(
    fc.integer({ min: 1, max: 12 }),
    fc.integer({ min: 1, max: 12 }),
    fc.constantFrom(3 as const, 4 as const),
  )
  .chain(([width, height, channels]) =>
    fc
      .uint8Array({ minLength: width * height * channels, maxLength: width * height * channels })
      .map((data): Raster => ({ data, width, height, channels })),
  );

test('every measure is between 0 and 1 for any pixels', () => {
  fc.assert(
    fc.property(raster, (raster) => {
      for (const value of [...Object.values(measureLight(raster)), flatShare(raster)])
        assert.ok(value >= 0 && value <= 1);
    }),
  );
});

test('at most five distinct colours are named, largest share first, with a sum of at most 1', () => {
  fc.assert(
    fc.property(raster, (raster) => {
      const colours = measureColours(raster);
      const shares = colours.map(({ share }) => share);
      assert.ok(colours.length <= 5);
      assert.deepEqual(
        shares,
        shares.toSorted((a, b) => b - a),
      );
      assert.equal(new Set(colours.map(({ name }) => name)).size, colours.length);
      assert.ok(shares.reduce((sum, share) => sum + share, 0) <= 1.003);
      for (const { hex } of colours) assert.match(hex, /^#[0-9a-f]{6}$/);
    }),
  );
});

test('black next to white has maximum contrast and medium brightness', () => {
  const { brightness, contrast, colourfulness } = measureLight(
    paint(20, 20, (x) => (x < 10 ? [0, 0, 0] : [255, 255, 255])),
  );
  assert.equal(Math.round(brightness * 100), 50);
  assert.equal(Math.round(contrast * 100), 100);
  assert.equal(colourfulness, 0);
});

test('a crisp edge is sharper than the same edge blurred', () => {
  const crisp = measureLight(paint(40, 40, (x) => (x < 20 ? [0, 0, 0] : [255, 255, 255])));
  const soft = measureLight(paint(40, 40, (x) => Array<number>(3).fill((x * 255) / 40)));
  assert.ok(crisp.sharpness > 0.8);
  assert.ok(soft.sharpness < 0.05);
});

test('transparent pixels have no colour', () => {
  const half = paint(10, 10, (x) => (x < 5 ? [0, 0, 255, 255] : [255, 0, 0, 0]));
  assert.deepEqual(measureColours(half), [{ name: 'blue', hex: '#0000ff', share: 0.5 }]);
});

test('areas of one colour are flat, noise is not', () => {
  assert.ok(flatShare(paint(20, 20, (x) => (x < 10 ? [0, 0, 0] : [9, 9, 9]))) > 0.9);
  assert.ok(flatShare(paint(20, 20, (x, y) => [(x * 31 + y * 17) % 256, 0, 0])) < 0.1);
});

test('a single translucent pixel makes a raster transparent', () => {
  assert.equal(isOpaque(paint(3, 3, () => [1, 2, 3, 255])), true);
  assert.equal(isOpaque(paint(3, 3, (x, y) => [1, 2, 3, x + y === 4 ? 254 : 255])), false);
  assert.equal(isOpaque(paint(3, 3, () => [1, 2, 3])), true);
});
