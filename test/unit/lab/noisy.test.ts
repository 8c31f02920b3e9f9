import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOSTILE_KINDS } from '../../../lab/noisy/hostile-files.ts';
import { ORDINARY_MEDIA, ordinaryFiles, VISITOR } from '../../../lab/noisy/ordinary-files.ts';
import { figuresOf, shortfalls } from '../../../lab/noisy/report.ts';

const round = (ms: number, ofImages = ms) =>
  [...ORDINARY_MEDIA, VISITOR].flatMap((kind) =>
    Array.from({ length: 20 }, () => ({
      kind,
      ms: ['jpg', VISITOR].includes(kind) ? ofImages : ms,
      outcome: 'completed' as const,
    })),
  );
const result = {
  alone: round(1_000),
  together: round(2_500, 1_900),
  hostile: [],
  waitingAtEnd: 0,
  unfinished: [],
};

test('there are 21 kinds of hostile files', () => {
  assert.equal(Object.keys(HOSTILE_KINDS).length, 21);
});

test('ordinary files differ, and the seed determines them', async () => {
  const texts = async (seed: number) =>
    (await ordinaryFiles('md', 5, seed)).map(({ bytes }) => bytes.toString());
  const [first, again, other] = [await texts(1), await texts(1), await texts(2)];
  assert.equal(new Set([...first, ...other]).size, 10);
  assert.deepEqual(first, again);
});

test('a run passes when the p95 of images is at most twice, and of others three times the p95 without hostile files', () => {
  assert.deepEqual(new Set(figuresOf(result).map(({ ratio }) => ratio)), new Set([1.9, 2.5]));
  assert.deepEqual(shortfalls(result), []);
  assert.deepEqual(shortfalls({ ...result, together: round(2_500) }), [
    'p95 of jpg is 2.5 times its p95 alone',
    'p95 of visits is 2.5 times its p95 alone',
  ]);
});

test('a slow medium, a failed ordinary file and an unfinished hostile file are each a shortfall', () => {
  const slow = result.together.map((file) => (file.kind === 'pdf' ? { ...file, ms: 3_100 } : file));
  assert.match(shortfalls({ ...result, together: slow })[0] ?? '', /p95 of pdf is 3\.1 times/);
  const failed = [...result.together, { kind: 'md', ms: 1, outcome: 'DOCUMENT_DAMAGED' }];
  assert.deepEqual(shortfalls({ ...result, together: failed }), [
    'an ordinary md ended with DOCUMENT_DAMAGED',
  ]);
  assert.deepEqual(shortfalls({ ...result, unfinished: ['md-quotes'] }), ['1 hostile files have not ended']);
});
