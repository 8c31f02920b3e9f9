import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  answerCandidates,
  bestByRating,
  bestSentences,
} from '../../../engines/text-work/ask/best-sentences.ts';
import type { CitedPassage } from '../../../engines/text-work/ask/support.ts';
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

test('the number of a heading alone says nothing, and a row may name what it counts in other words', () => {
  const text = `3.1.

| Item | Value |
| --- | --- |
| Supplier account number | 12345 |
| Battery life | 12 h |

Ada Lovelace was an English mathematician.`;
  const rows = new Map(
    [
      ['Item', 'Value'],
      ['Supplier account number', '12345'],
      ['Battery life', '12 h'],
    ].map((cells) => [`| ${cells.join(' | ')} |`, cells]),
  );
  const found = (question: string) =>
    answerCandidates(question, [{ headingPath: [], text, rows }]).map((candidate) => candidate.text);
  assert.equal(
    found('What is the account number of the supplier?')[0],
    '| Supplier account number | 12345 |',
  );
  assert.equal(found('How many hours does the battery last?')[0], '| Battery life | 12 h |');
  assert.equal(found('Who was Ada Lovelace?')[0], 'Ada Lovelace was an English mathematician.');
  assert.ok(!found('What is the account number of the supplier?').includes('3.1.'));
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
  const numbered = {
    headingPath: ['5. Project leader'],
    text: '5. Project leader\n\nAnna leads the project.',
  };
  for (const { text } of answerCandidates('Who is the project leader?', [numbered]))
    assert.equal(text, 'Anna leads the project.');
});

test('a model that is sure of none has no answer, and one that is sure decides', () => {
  const candidates = answerCandidates('What does it cost?', [PRICES]);
  assert.deepEqual(bestByRating(candidates, [0.5, 0.9]), []);
  assert.equal(bestByRating(candidates, [0, 0.999])[0]?.text, candidates[1]?.text);
});

test('a sentence is judged with what stands before it: the question that it answers, or what it defines', () => {
  const cases: [text: string, answer: string, readable: string][] = [
    ['Can it open archives?\n\nNot by itself.', 'Not by itself.', 'Can it open archives? Not by itself.'],
    ['dip\n\nIt stands for dialling in.', 'It stands for dialling in.', 'dip It stands for dialling in.'],
    ['To stop it, run:\n\nmask agent', 'mask agent', 'mask agent'],
    [`${'Before. '.repeat(100)}It opens.`, 'It opens.', 'Before. It opens.'],
  ];
  for (const [text, answer, readable] of cases) {
    const found = answerCandidates('What opens?', [{ headingPath: [], text }]);
    assert.equal(found.find((candidate) => candidate.text === answer)?.readable, readable);
  }
});

test('what was judged with the sentence before it is quoted with it, and said once', () => {
  const judged = (text: string, best: string, { headings = new Set<string>(), other = 0.5 } = {}) => {
    const candidates = answerCandidates('What opens?', [{ headingPath: [], text, headings }]);
    const ratings = candidates.map((candidate) => (candidate.text === best ? 0.9999 : other));
    return bestByRating(candidates, ratings).map((quote) => quote.text);
  };
  const both = 'The key opens it. It is in the box.';
  assert.deepEqual(judged(both, 'It is in the box.'), [both]);
  assert.deepEqual(judged(both, 'It is in the box.', { other: 0.9995 }), [
    'The key opens it.',
    'It is in the box.',
  ]);
  const asked = 'Can it open archives?\n\nNot by itself.';
  assert.deepEqual(judged(asked, 'Not by itself.'), [asked]);
  const headings = new Set(['opening']);
  assert.deepEqual(judged('Opening\n\nPress the key.', 'Press the key.', { headings }), ['Press the key.']);
  const alone = 'It opens.';
  for (const before of ['- Turn the key.\n- ', `${'Before '.repeat(50)}it. `, 'It is Ann.\n\n\n'])
    assert.deepEqual(judged(before + alone, alone), [alone]);
  const withoutSpaces = '合同由李明起草。合同于2024年3月5日签署。';
  assert.deepEqual(judged(withoutSpaces, '合同于2024年3月5日签署。'), [withoutSpaces]);
});

test('a sentence that another quote took along is not quoted twice', () => {
  const candidate = { passage: 0, readable: '', share: 0, score: 0 };
  const candidates = [
    { ...candidate, text: 'Two. Three.', judged: 'One. Two. Three.' },
    { ...candidate, text: 'Four.', judged: 'Three. Four.' },
  ];
  const quotes = bestByRating(candidates, [0.9999, 0.9998]).map(({ text }) => text);
  assert.deepEqual(quotes, ['One. Two. Three.', 'Four.']);
});

test('of candidates that answer, the one with most evidence is first', () => {
  const text = '- The price of the pump is on the label.\n- It costs 12 euros.';
  const candidates = answerCandidates('What does the pump cost?', [{ headingPath: [], text }]);
  const ratings = candidates.map((candidate) => (candidate.text === 'It costs 12 euros.' ? 0.9999 : 0.98));
  assert.equal(bestByRating(candidates, ratings)[0]?.text, 'It costs 12 euros.');
});

test('a code that a question names is in the row or the passage that answers, and not as a part of another', () => {
  const releases = passageOf(`| Version | Released |
|---|---|
| 3.1 | 2005-06-06 |
| 3.1.10 | 2005-12-17 |`);
  assert.deepEqual(
    bestSentences('When was version 3.1 released?', [releases]).map(({ text }) => text),
    ['| 3.1 | 2005-06-06 |'],
  );
  assert.deepEqual(bestSentences('When was version 1.10 released?', [releases]), []);
});

test('a number after a name is a code, of however few digits', () => {
  const text = 'Apollo 11 carried three people. In 1972 the crew of Apollo 17 had three members.';
  const passage = { headingPath: [], text };
  assert.ok(bestSentences('How many people did Apollo 11 carry?', [passage]).length > 0);
  assert.deepEqual(bestSentences('How many people did Apollo 12 carry?', [passage]), []);
});

const NUMBERED: readonly [question: string, text: string, isAnswered: boolean][] = [
  ['Who signed the contract on May 3?', 'Ann signed the contract on May 3rd, 2024.', true],
  ['Who signed the contract on May 3?', 'Ann signed the contract on 3/5/2024 in May.', true],
  ['What does Article 5 protect?', 'Article V protects the pump.', true],
  ['What does Article 5 protect?', 'Article IV protects the pump.', false],
  ['Who was the wife of Henry 8 of England?', 'The wife of Henry VIII of England was Anne.', true],
  ['Who was the wife of Henry 8 of England?', 'The wife of Henry the 8th of England was Anne.', true],
  ['Who ran the board of Acme, 2 years after it began?', 'Ann ran the board of Acme after two years.', true],
];
test('a number after a name may be written as an ordinal or a Roman numeral; a day or one after a comma is none', () => {
  for (const [question, text, isAnswered] of NUMBERED)
    assert.equal(bestSentences(question, [{ headingPath: [], text }]).length > 0, isAnswered, text);
});

test('a name that a question names is in the document that answers, unless that is in another language', () => {
  const limits = { headingPath: [], text: 'A table of the database can have 1,600 columns at most.' };
  const ask = (database: string, passage: CitedPassage = limits) =>
    bestSentences(`How many columns can a table of the database ${database} have?`, [passage]).length;
  assert.equal(ask('MySQL'), 0);
  for (const filename of ['mysql.pdf', 'MySQL 8.html'])
    assert.equal(ask('MySQL', { ...limits, filename }), 1);
  assert.equal(ask('server'), 1);
  const german = {
    headingPath: [],
    text: 'Eine Tabelle der Datenbank hat höchstens 1.600 columns in table.',
  };
  const [candidate] = answerCandidates('How many columns can a table in MySQL have?', [german]);
  assert.notEqual(candidate, undefined);
});

test('a value that is said in one of the next sentences of a paragraph answers with the sentence that says of what', () => {
  const text = `Determines the number of connections to the server. The default value is three.

The depth of the tree is limited. It is a tree.

The value of this is 7.`;
  assert.deepEqual(
    bestSentences('What is the number of connections to the server?', [{ headingPath: [], text }]).map(
      (found) => found.text,
    ),
    ['Determines the number of connections to the server. The default value is three.'],
  );
  assert.deepEqual(bestSentences('What is the depth of the tree?', [{ headingPath: [], text }]), []);
});

test('words that look like months and years, and digits in names, are no values', () => {
  const text = 'The committee may appoint an auditor. The limit of columns is read by sqlite3_limit.';
  for (const question of [
    'When was an auditor appointed by the committee?',
    'How many columns is the limit?',
  ])
    assert.deepEqual(bestSentences(question, [{ headingPath: [], text }]), [], question);
  const dated = { headingPath: [], text: 'The auditor was appointed on 3 May.' };
  assert.equal(bestSentences('When was the auditor appointed?', [dated]).length, 1);
});
