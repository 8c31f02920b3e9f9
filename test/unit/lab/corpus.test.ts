import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sentencesOf } from '../../../lab/bench/sentences.ts';
import { meanVector, nearestOf } from '../../../lab/bench/seed-chunks.ts';

test('the sentences of a handbook are its prose without code, tables, headings and markup', () => {
  const markdown = `# A heading that is long enough to be taken for a sentence

The pump stands on **level ground** near the [well](https://example.com). Connect the
hose to it, and fill its \`housing\` with water before you start.

| A table | whose cells are long enough to be taken for sentences |
\`\`\`console
$ npm run something --that --is --long --enough --to --be --taken
\`\`\`
Too short.
`;
  assert.deepEqual(sentencesOf(markdown), [
    'The pump stands on level ground near the well.',
    'Connect the hose to it, and fill its housing with water before you start.',
  ]);
});

test('a mean of vectors has length 1 and is closest to its members', () => {
  const [east, north, up] = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ].map((vector) => Float32Array.from(vector));
  assert.ok(east && north && up);
  const mean = meanVector([east, north]);
  assert.ok(Math.abs(Math.hypot(...mean) - 1) < 1e-6);
  assert.deepEqual(nearestOf([...mean], [up, east, north], 2).toSorted(), [1, 2]);
  assert.deepEqual(nearestOf([0, 0.1, 1], [east, north, up], 2), [2, 1]);
});
