import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOSTILE_KINDS } from '../../../lab/noisy/hostile-files.ts';
import { ORDINARY_MEDIA, ordinaryFiles } from '../../../lab/noisy/ordinary-files.ts';
import { figuresOf, shortfalls } from '../../../lab/noisy/report.ts';

const round = (ms: number) =>
  ORDINARY_MEDIA.flatMap((kind) =>
    Array.from({ length: 20 }, () => ({ kind, ms, outcome: 'completed' as const })),
  );
const result = { alone: round(1_000), together: round(2_500), hostile: [], waitingAtEnd: 0, unfinished: [] };

test('there are twenty kinds of hostile files', () => {
  assert.equal(Object.keys(HOSTILE_KINDS).length, 20);
});

test('ordinary files differ, and the seed determines them', async () => {
  const texts = async (seed: number) =>
    (await ordinaryFiles('md', 5, seed)).map(({ bytes }) => bytes.toString());
  const [first, again, other] = [await texts(1), await texts(1), await texts(2)];
  assert.equal(new Set([...first, ...other]).size, 10);
  assert.deepEqual(first, again);
});

test('a run passes when every p95 is at most three times the p95 without hostile files', () => {
  assert.ok(figuresOf(result).every(({ ratio }) => ratio === 2.5));
  assert.deepEqual(shortfalls(result), []);
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
