import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { textRegions, type RecognisedWord } from '../../../engines/text-recogniser/text-regions.ts';

const IMAGE = { width: 200, height: 100 };
const word = (text: string, confidence: number, x0: number, x1: number): RecognisedWord => ({
  text,
  confidence,
  bbox: { x0, y0: 10, x1, y1: 30 },
});

test('a line has its words and their bounding box, relative to the image', () => {
  assert.deepEqual(textRegions([[word('Total', 95, 20, 60), word('due', 90, 70, 100)]], IMAGE), [
    { text: 'Total due', box: { xMin: 0.1, yMin: 0.1, xMax: 0.5, yMax: 0.3 } },
  ]);
});

test('words of low confidence are left out of text and box', () => {
  assert.deepEqual(textRegions([[word('Total', 95, 20, 60), word('~;', 31, 180, 200)]], IMAGE), [
    { text: 'Total', box: { xMin: 0.1, yMin: 0.1, xMax: 0.3, yMax: 0.3 } },
  ]);
});

test('a line without a legible word is dropped', () => {
  assert.deepEqual(
    textRegions([[word('|', 92, 0, 5), word('—', 80, 8, 20)], [word('if', 12, 0, 9)]], IMAGE),
    [],
  );
});

test('no line contains a control character, and every box is inside the image', () => {
  const side = fc.integer({ min: -50, max: 400 });
  const words = fc.array(
    fc.record({
      text: fc.string({ unit: 'binary' }),
      confidence: fc.integer({ min: 0, max: 100 }),
      bbox: fc.record({ x0: side, y0: side, x1: side, y1: side }),
    }),
  );
  fc.assert(
    fc.property(fc.array(words), (lines) => {
      for (const { text, box } of textRegions(lines, IMAGE)) {
        assert.doesNotMatch(text, /\p{Cc}/u);
        assert.ok(Object.values(box).every((part) => part >= 0 && part <= 1));
      }
    }),
  );
});
