import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bestSentences } from '../../../engines/text-work/ask/best-sentences.ts';

const MANUAL = {
  headingPath: ['Pump X200', 'Maintenance'],
  text: `Disable the automatic verification while you upload the firmware. Replace the filter every month.
The threshold of the pressure alarm is 6 bar. The device reports its temperature every minute.`,
};

const answers = (question: string) => bestSentences(question, [MANUAL]).map(({ text }) => text);

test('a misspelt word of a question stands for the written one that it resembles', () => {
  const cases: [question: string, sentence: string][] = [
    [
      'how to disable the autmatic verfication',
      'Disable the automatic verification while you upload the firmware.',
    ],
    ['uplaod the frimware', 'Disable the automatic verification while you upload the firmware.'],
    ['treshold of the presure alarm', 'The threshold of the pressure alarm is 6 bar.'],
  ];
  for (const [question, sentence] of cases) assert.deepEqual(answers(question), [sentence], question);
});

test('a short word, a number and a word with another first letter are no misspellings', () => {
  // Each differs by one letter from a word of the manual: bar, X200, alarm.
  for (const question of ['Where is the bat?', 'Is it X201?', 'Who is ularm?'])
    assert.deepEqual(answers(question), [], question);
});

test('a word that is written is no misspelling of another', () => {
  const text = 'The devise reports the temperature of a will. The device reports the temperature.';
  const [first] = bestSentences('Which device reports the temperature?', [{ headingPath: [], text }]);
  assert.equal(first?.text, 'The device reports the temperature.');
});
