import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createTextWork } from '../../../engines/text-work/text-work.ts';
import {
  BROKEN_MODELS,
  LYING_MODELS,
  measureAnswers,
  measureInvented,
  measureOffline,
  TRUE_MODELS,
} from '../../../lab/quality/ask/measure-answers.ts';
import { isSupported, RESTATED } from '../../../lab/quality/ask/own-words.ts';

/** Questions with known answers and without, to endpoints that know the truth and to those that lie. */
/** `npm run quality:documents -- --ask` asks all. */
const EVERY = 4;
const text = createTextWork({ slots: 1 });
after(() => text.close());

test('no false sentence and no false quote passes, however the model lies', async () => {
  for (const [name, behave] of Object.entries(LYING_MODELS)) {
    const { sentences, supported, falseQuotes } = await measureAnswers(name, behave, text, EVERY);
    assert.deepEqual([name, sentences, supported, falseQuotes], [name, 13, 0, 0]);
  }
});

test('no false sentence in the words of its source is supported', () => {
  for (const { source, lies } of RESTATED)
    for (const lie of lies) assert.equal(isSupported(lie, source), false, lie);
});

test('an answer that is made up is never supported', async () => {
  const { questions, supported } = await measureInvented(text);
  assert.deepEqual([questions, supported], [20, 0]);
});

/** Of 13 sentences each; which sentences differ how is in test/unit/ask/sentences.ts. */
const SUPPORTED = {
  'true, whole sentences of the document': 13,
  'true, in the words of the document': 9,
  'true, in words of its own': 0,
};

test('of true sentences, those of the documents are supported', async () => {
  for (const [name, behave] of Object.entries(TRUE_MODELS)) {
    const { sentences, supported, falseQuotes } = await measureAnswers(name, behave, text, EVERY);
    const expected = SUPPORTED[name as keyof typeof SUPPORTED];
    assert.deepEqual([name, sentences, supported, falseQuotes], [name, 13, expected, 0]);
  }
});

test('a reply that is no answer fails', async () => {
  for (const [name, behave] of Object.entries(BROKEN_MODELS)) {
    const { questions, refused } = await measureAnswers(name, behave, text, EVERY);
    assert.deepEqual([name, refused], [name, questions]);
  }
});

test('without a model, questions without an answer get none', async () => {
  const { found, answeredWrongly } = await measureOffline(text);
  assert.deepEqual([found, answeredWrongly], [36, 0]);
});
