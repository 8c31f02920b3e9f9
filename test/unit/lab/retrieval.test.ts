import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  answers,
  bare,
  byKind,
  LOOKED_AT,
  rankOf,
  retrievalOf,
} from '../../../lab/quality/retrieval/answers.ts';
import { readManuals } from '../../../lab/quality/retrieval/manuals.ts';
import { windowsOf } from '../../../lab/quality/retrieval/passages.ts';

const asked = (...quotes: string[]) => ({ question: '?', kind: 'plain' as const, answers: quotes });

test('a passage answers if it contains one of the quotes, whatever its spaces, marks and case', () => {
  const passage = bare('| **Mit Desktop** | 1 Gigabyte |\n“The user’s own”');
  assert.ok(answers(passage, asked('not there', 'mit Desktop 1 Gigabyte')));
  assert.ok(answers(passage, asked("user's OWN")));
  assert.ok(!answers(passage, asked('own user')));
});

test('the rank is the place of the first answer, if it is among the hits that are looked at', () => {
  assert.equal(rankOf([true, true]), 1);
  assert.equal(rankOf([false, false, true]), 3);
  assert.equal(rankOf([]), 0);
  const late = Array.from({ length: LOOKED_AT + 1 }, (_, at) => at === LOOKED_AT);
  assert.equal(rankOf(late), 0);
});

test('shares and the mean reciprocal rank count questions without an answer', () => {
  assert.deepEqual(retrievalOf([1, 2, 0, 10]), {
    asked: 4,
    first: 0.25,
    firstFive: 0.5,
    meanReciprocalRank: (1 + 0.5 + 0.1) / 4,
  });
  assert.deepEqual(retrievalOf([]), { asked: 0, first: 0, firstFive: 0, meanReciprocalRank: 0 });
});

test('the first are among the first five, and the mean reciprocal rank is between their shares', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: LOOKED_AT }), { minLength: 1 }), (ranks) => {
      const { first, firstFive, meanReciprocalRank } = retrievalOf(ranks);
      const found = ranks.filter((rank) => rank > 0).length / ranks.length;
      assert.ok(first <= firstFive && firstFive <= found);
      assert.ok(first <= meanReciprocalRank + 1e-9 && meanReciprocalRank <= found + 1e-9);
    }),
  );
});

test('kinds that nobody asked are left out', () => {
  const kinds = byKind([
    { kind: 'typo', rank: 1 },
    { kind: 'plain', rank: 0 },
    { kind: 'typo', rank: 0 },
  ]);
  assert.deepEqual(
    [...kinds].map(([kind, { asked: count, first }]) => [kind, count, first]),
    [
      ['plain', 1, 0],
      ['typo', 2, 0.5],
    ],
  );
});

test('windows hold all words in order, are of bounded size and repeat the end of the one before', () => {
  const words = Array.from({ length: 700 }, (_, at) => `w${at}`);
  const windows = windowsOf(words.join(' \n')).map((window) => window.split(' '));
  assert.ok(windows.length > 2);
  for (const [at, window] of windows.entries()) {
    const from = words.indexOf(window[0] ?? '');
    assert.deepEqual(window, words.slice(from, from + window.length));
    const before = windows[at - 1];
    if (before) assert.ok(before.includes(window[0] ?? '') && !before.includes(window.at(-1) ?? ''));
  }
  assert.equal(windows.at(-1)?.at(-1), words.at(-1));
  assert.deepEqual(windowsOf(''), []);
  assert.deepEqual(windowsOf('one'), ['one']);
});

test('a word longer than a window is one', () => {
  assert.deepEqual(windowsOf('a very incomprehensibilities end', { size: 1, overlap: 0 }), [
    'a',
    'very',
    'incomprehensibilities',
    'end',
  ]);
});

test('every manual of the development half is well declared, and no question is asked twice', async () => {
  const manuals = await readManuals('development');
  const questions = manuals.flatMap((manual) => manual.questions.map(({ question }) => question));
  assert.equal(new Set(questions).size, questions.length);
  assert.equal(new Set(manuals.map(({ name }) => name)).size, manuals.length);
});
