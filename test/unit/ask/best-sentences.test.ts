import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  answerCandidates,
  bestByRating,
  bestSentences,
} from '../../../engines/text-work/ask/best-sentences.ts';
import { passageOf } from './sentences.ts';

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

const PRICES = passageOf(`| Article | Weight | Price |
|---|---|---|
| Garden pump | 12 kg | 149.00 |
| Barrow | 14 kg | 89.00 |`);

test('a question is asked in its own language of a table, which has none', () => {
  for (const question of ['What is the price of the barrow?', 'barrow price'])
    assert.deepEqual(
      bestSentences(question, [PRICES]).map(({ text }) => text),
      ['| Barrow | 14 kg | 89.00 |'],
      question,
    );
});

test('a row reads with the heads of its columns', () => {
  const [first] = answerCandidates('What is the price of the barrow?', [PRICES]);
  assert.equal(first?.readable, 'Article: Barrow, Weight: 14 kg, Price: 89.00');
});

test('what has no time does not answer when, and what has no number not how many', () => {
  const invoice = {
    headingPath: [],
    text: 'Invoice number: INV-103\nCustomer: Acme\n\nThe invoice was issued.',
  };
  assert.deepEqual(bestSentences('When was invoice INV-103 issued?', [invoice]), []);
  const dated = { ...invoice, text: `${invoice.text}\n\nInvoice INV-103 was issued on 3 May 2026.` };
  const [best] = bestSentences('When was invoice INV-103 issued?', [dated]);
  assert.equal(best?.text, 'Invoice INV-103 was issued on 3 May 2026.');
  const seats = { headingPath: [], text: 'The hall has seats. The hall has 40 seats.' };
  for (const question of ['How many seats has the hall?', 'Wie viele seats has the hall?'])
    assert.equal(bestSentences(question, [seats])[0]?.text, 'The hall has 40 seats.');
});

test('lines with a label each answer alone, and a line that ends in a colon with what follows', () => {
  const order = { headingPath: [], text: 'Order: OD-77\nPaid by: card\nTotal: 12.50' };
  assert.equal(bestSentences('What is the total?', [order])[0]?.text, 'Total: 12.50');
  const steps = { headingPath: [], text: 'To stop the agent, run:\n\nsystemctl mask agent' };
  assert.equal(
    bestSentences('How do I stop the agent?', [steps])[0]?.text,
    'To stop the agent, run:\n\nsystemctl mask agent',
  );
});

test('a heading is no answer', () => {
  const text = 'Warranty of the pump\n\nThe warranty of the pump is two years.';
  const passage = { headingPath: ['Warranty of the pump'], text };
  assert.deepEqual(
    bestSentences('What is the warranty of the pump?', [passage]).map((found) => found.text),
    ['The warranty of the pump is two years.'],
  );
});

test('a model that is sure of none has no answer, and one that is sure decides', () => {
  const candidates = answerCandidates('What does it cost?', [PRICES]);
  assert.deepEqual(bestByRating(candidates, [0.5, 0.9]), []);
  assert.equal(bestByRating(candidates, [0, 0.999])[0]?.text, candidates[1]?.text);
});
