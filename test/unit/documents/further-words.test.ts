import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { furtherWords } from '../../../domain/documents/dictionaries.ts';

test('further words are those missing from the beginning, each once', () => {
  const beginning = 'The harbour is closed. ';
  const cases: [rest: string, further: string][] = [
    ['', ''],
    ['The harbour is CLOSED.', ''],
    ['The Bridge, a bridge; «bridge» and the harbour’s 1,250 boats', 'bridge a and s 1 250 boats'],
    ['مكتبة النهضة؟', 'مكتبة النهضة'],
  ];
  for (const [rest, further] of cases)
    assert.equal(furtherWords(beginning + rest, beginning.length, 1000), further);
  assert.equal(furtherWords('one two three', 3, 9), 'two');
  assert.equal(furtherWords('one lighthouse', 8, 1000), 'lighthouse');
});

test('every word is in the beginning or among the further words', () => {
  const word = fc.stringMatching(/^[a-zäß]{1,12}$/u);
  fc.assert(
    fc.property(fc.array(word, { maxLength: 200 }), fc.nat(300), (words, beginning) => {
      const text = words.join(' ');
      const known = new Set(`${text.slice(0, beginning)} ${furtherWords(text, beginning, 1e6)}`.split(' '));
      assert.deepEqual(
        words.map((one) => one.toLowerCase()).filter((one) => !known.has(one)),
        [],
      );
    }),
  );
});
