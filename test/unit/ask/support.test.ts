import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { checkSentence, type CitedPassage } from '../../../engines/text-work/ask/support.ts';
import { ANLEITUNG, FALSE_SENTENCES, MANUAL as TEXT, passageOf, PROSE, TRUE_SENTENCES } from './sentences.ts';

const MANUAL = passageOf(
  `The warranty lasts 24 months from the date of purchase. Batteries are not covered by the warranty.
If the red lamp blinks, replace the filter. The pump weighs 12 kg and the fan weighs 5 kg. The lid of the tank must never be opened while it is under pressure.

| | Model A | Model B |
|---|---|---|
| Torque | 25 Nm | 30 Nm |

- Weight: 12.5 kg
- Voltage: 230 V

The device was delivered on 3 May 2026. Up to 10 users can share it. Acme supplies Globex with valves. It costs $1,200. Mainte-
nance is due every Monday.`,
  ['Manual', 'Pump X200'],
);
const OTHER: CitedPassage = { headingPath: [], text: 'The warranty lasts 36 months. Seals are included.' };

const says = (text: string, quote: string, passage = 1) =>
  checkSentence({ text, quotes: [{ passage, quote }] }, [MANUAL, OTHER]);

test('a sentence that restates its quote is supported', () => {
  const cases: [sentence: string, quote: string][] = [
    ['The warranty lasts 24 months from the date of purchase.', 'warranty lasts 24 months'],
    ["Batteries aren't covered by the warranty.", 'Batteries are not covered'],
    ['If the red lamp blinks, replace the filter.', 'replace the filter'],
    ['The pump weighs 12 kilograms.', 'The pump weighs 12 kg'],
    ['A pump weighs 12 kg and the fan weighs 5 kg.', 'The pump weighs 12 kg'],
    ['The torque of Model B is 30 Nm.', '| Torque | 25 Nm | 30 Nm |'],
    ['The torque of Model A is 25 Nm.', '25 Nm'],
    ['The weight is 12,5 kilograms.', 'Weight: 12.5 kg'],
    ['The voltage is 230 volts.', 'Voltage'],
    ['The device was delivered on 2026-05-03.', 'delivered on 3 May 2026'],
    ['| Torque | 25 Nm | 30 Nm |', '| Torque | 25 Nm | 30 Nm |'],
    ['Up to ten users can share it.', '10 users'],
    ['It costs 1200 dollars.', 'It costs $1,200'],
    ['Maintenance is due every Monday.', 'maintenance is due'],
  ];
  for (const [sentence, quote] of cases) assert.equal(says(sentence, quote).supported, true, sentence);
});

test('a true quote does not carry a false sentence', () => {
  const cases: [sentence: string, quote: string][] = [
    ['The warranty lasts 12 months.', 'The warranty lasts 24 months'],
    ['The warranty lasts 24 days.', 'The warranty lasts 24 months'],
    ['The warranty lasts 24 months and 3 days.', 'The warranty lasts 24 months'],
    ['The guarantee lasts 24 months.', 'The warranty lasts 24 months'],
    ['Batteries are covered by the warranty.', 'Batteries are not covered'],
    ['The warranty does not last 24 months.', 'The warranty lasts 24 months'],
    ['Replace the filter.', 'replace the filter'],
    ['The pump weighs 5 kg.', 'The pump weighs 12 kg'],
    ['The fan weighs 12 kg.', 'The pump weighs 12 kg'],
    ['The pump weighs 12 kg and 5 kg.', 'The pump weighs 12 kg'],
    ['The tank must never be opened while it is under pressure.', 'The lid of the tank'],
    ['The lid of the tank must be opened.', 'The lid of the tank'],
    ['The lid of the tank may never be opened while it is under pressure.', 'The lid of the tank'],
    ['The torque of Model B is 25 Nm.', 'Torque'],
    ['The torque of Model A is 30 Nm.', 'Torque'],
    ['| Torque | 30 Nm | 25 Nm |', '| Torque | 25 Nm | 30 Nm |'],
    ['| Torque | 30 Nm |', '| Torque | 25 Nm | 30 Nm |'],
    ['| Torque | 25 Nm 30 Nm | |', '| Torque | 25 Nm | 30 Nm |'],
    ['The voltage of the fan is 230 volts.', 'Voltage'],
    ['The device was delivered on 5 March 2026.', 'delivered on 3 May 2026'],
    ['10 users can share it.', '10 users'],
    ['Globex supplies Acme with valves.', 'Acme supplies'],
    ['It costs 1,300 dollars.', 'It costs'],
    ['It costs 1200 euros.', 'It costs'],
    ['24 months.', 'The warranty lasts 24 months'],
    ['Yes, the warranty lasts 24 months.', 'The warranty lasts 24 months'],
  ];
  for (const [sentence, quote] of cases) assert.equal(says(sentence, quote).supported, false, sentence);
});

/** Texts and sentences of a table: `text => sentence`. */
function* casesOf(table: string): Generator<[text: string, sentence: string]> {
  for (const line of table.trim().split('\n')) {
    const [text = '', sentence = ''] = line.replaceAll('\\n', '\n').split(' => ');
    yield [text, sentence];
  }
}

test('no sentence that differs a little in its words is supported', () => {
  for (const [language, table] of Object.entries(FALSE_SENTENCES)) {
    for (const [text, sentence] of casesOf(table)) {
      const passage = passageOf(`${text}\n\n${PROSE[language]}`);
      const { supported, quotes } = checkSentence({ text: sentence, quotes: [{ passage: 1, quote: text }] }, [
        passage,
      ]);
      assert.deepEqual([supported, quotes.length], [false, 1], `${text} => ${sentence}`);
    }
  }
});

test('true sentences are supported in the words of the document, and not in others', () => {
  const passages = [TEXT, ANLEITUNG].map((text) => passageOf(text));
  for (const [how, table] of Object.entries(TRUE_SENTENCES)) {
    for (const [quote, text] of casesOf(table)) {
      const quotes = [1, 2].map((passage) => ({ passage, quote }));
      assert.equal(checkSentence({ text, quotes }, passages).supported, how === 'restated', text);
    }
  }
});

test('a text made to take long to compare is not supported', () => {
  const text = `${'0 and '.repeat(99)}1`;
  const long = `The lid of the tank is: ${'0 and '.repeat(480)}`;
  const quotes = [1, 2, 3, 4].map((passage) => ({ passage, quote: long }));
  const passages = quotes.map(() => ({ headingPath: [], text: long }));
  assert.equal(checkSentence({ text, quotes }, passages).supported, false);
});

test('a quote counts only in the passage that it names, and is returned in its letters', () => {
  const quote = 'the WARRANTY lasts 36  months';
  assert.deepEqual(says('The warranty lasts 36 months.', quote, 2), {
    supported: true,
    quotes: [{ passage: 1, text: 'The warranty lasts 36 months.' }],
  });
  for (const passage of [1, 3, 0, -1, 1.5, Number.NaN])
    assert.deepEqual(says('The warranty lasts 36 months.', quote, passage), { supported: false, quotes: [] });
  assert.deepEqual(says('Anything.', '').quotes, []);
  assert.deepEqual(says('Anything.', '24 month').quotes, [], 'part of a word');
  assert.equal(
    checkSentence({ text: 'The warranty lasts 24 months.', quotes: [] }, [MANUAL]).supported,
    false,
  );
});

test('in a language that is not known, only the same sentence is supported', () => {
  const passage = { headingPath: [], text: 'La pompa non pesa 12 kg, ma pesa 15 kg.' };
  const check = (text: string) =>
    checkSentence({ text, quotes: [{ passage: 1, quote: 'La pompa' }] }, [passage]).supported;
  assert.equal(check('La pompa non pesa 12 kg, ma pesa 15 kg.'), true);
  assert.equal(check('La pompa pesa 12 kg.'), false);
  assert.equal(check('La pompa non pesa 12 kg.'), false);
});

const NOUNS = ['pump', 'lid', 'valve', 'motor', 'cable', 'filter'] as const;
const noun = fc.constantFrom(...NOUNS);
const number = fc.integer({ min: 2, max: 9999 });

test('for any nouns and numbers, the sentence itself is supported, and one with another noun or number is not', () => {
  fc.assert(
    fc.property(noun, noun, number, number, (one, other, a, b) => {
      fc.pre(one !== other && a !== b);
      const text = `The ${one} weighs ${a} kg. The ${other} weighs ${b} kg.`;
      const passage = { headingPath: [], text };
      const check = (sentence: string) =>
        checkSentence({ text: sentence, quotes: [{ passage: 1, quote: text }] }, [passage]).supported;
      assert.ok(check(`The ${one} weighs ${a} kg.`));
      assert.ok(check(`The ${one} weighs ${a} kg and the ${other} weighs ${b} kg.`));
      assert.ok(!check(`The ${one} weighs ${b} kg.`));
      assert.ok(!check(`The ${one} weighs ${b} kg and the ${other} weighs ${a} kg.`));
      assert.ok(!check(`The ${one} weighs ${a} kg and ${b} kg.`));
      assert.ok(!check(`The ${one} does not weigh ${a} kg.`));
    }),
  );
});

test('any quote that is returned is in its passage, whatever was written', () => {
  const any = fc.string({ unit: 'grapheme', maxLength: 200 });
  fc.assert(
    fc.property(any, any, any, fc.integer({ min: -1, max: 3 }), (passage, text, quote, at) => {
      const given = { headingPath: [], text: `${passage}\n${quote}. ${text}` };
      const { quotes } = checkSentence({ text, quotes: [{ passage: at, quote }] }, [given]);
      for (const found of quotes) {
        assert.equal(at, 1);
        assert.ok(given.text.includes(found.text));
      }
    }),
  );
});
