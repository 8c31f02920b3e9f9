import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fitWithin } from '../../adapters/image-decoder/fit-within.ts';

const side = fc.integer({ min: 1, max: 70_000 });
const bound = fc.constantFrom(64, 256, 750, 1024);

test('no side of a variant exceeds the bound or the image, and none vanishes', () => {
  fc.assert(
    fc.property(side, side, bound, (width, height, max) => {
      const fitted = fitWithin({ width, height }, max);
      assert.ok(fitted.width >= 1 && fitted.width <= Math.min(width, max));
      assert.ok(fitted.height >= 1 && fitted.height <= Math.min(height, max));
    }),
  );
});

test('a variant keeps the aspect within one pixel', () => {
  fc.assert(
    fc.property(side, side, bound, (width, height, max) => {
      const fitted = fitWithin({ width, height }, max);
      const scale = Math.min(1, max / Math.max(width, height));
      assert.ok(Math.abs(fitted.width - width * scale) < 1);
      assert.ok(Math.abs(fitted.height - height * scale) < 1);
    }),
  );
});

test('an image within the bound keeps its size, a larger one has the bound as its longer side', () => {
  fc.assert(
    fc.property(side, side, bound, (width, height, max) => {
      const fitted = fitWithin({ width, height }, max);
      if (Math.max(width, height) <= max) assert.deepEqual(fitted, { width, height });
      else assert.equal(Math.max(fitted.width, fitted.height), max);
    }),
  );
});
