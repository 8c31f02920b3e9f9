import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { colourName, type Rgb } from '../../../engines/image-decoder/measure/measure-colours.ts';

const EXPECTED: Record<string, Rgb> = {
  black: [0, 0, 0],
  'dark grey': [64, 64, 64],
  grey: [128, 128, 128],
  'light grey': [205, 205, 208],
  white: [255, 255, 255],
  red: [255, 0, 0],
  'dark red': [128, 0, 0],
  orange: [255, 140, 0],
  yellow: [255, 255, 0],
  green: [0, 128, 0],
  teal: [0, 128, 128],
  blue: [0, 0, 255],
  navy: [0, 0, 128],
  purple: [128, 0, 128],
  pink: [255, 182, 193],
  brown: [139, 90, 60],
  beige: [245, 222, 179],
};

for (const [name, colour] of Object.entries(EXPECTED))
  test(`rgb(${colour.join(', ')}) is named ${name}`, () => assert.equal(colourName(colour), name));

test('a colour without hue is named black, grey or white', () => {
  const greys = new Set(['black', 'dark grey', 'grey', 'light grey', 'white']);
  fc.assert(fc.property(fc.nat(255), (value) => assert.ok(greys.has(colourName([value, value, value])))));
});
