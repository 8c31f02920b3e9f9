import assert from 'node:assert/strict';
import { after, describe, it, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createSightEmbedding } from '../../../adapters/models/image-embedding/sight-embedding.ts';
import { createPassageRanker } from '../../../adapters/models/passage-ranking/passage-ranker.ts';
import { createSight } from '../../../adapters/models/sight/sight.ts';
import {
  createLocalTextEmbedding,
  createPairedTextEmbedding,
} from '../../../adapters/models/text-embedding/local-text-embedding.ts';
import { PAIR } from '../../../adapters/models/text-embedding/paired-models.ts';
import type { TextEmbedding } from '../../../adapters/models/text-embedding/text-embedding.ts';
import { findSentenceModels } from '../../../engines/models/catalogue.ts';
import { readNpz, readSafetensors } from '../../../engines/models/convert/read-weights.ts';
import { isLikelyEnglish } from '../../../engines/text-work/text-language.ts';
import { demoImage } from '../../support/images.ts';
import { fetchedModels } from '../../support/models.ts';

const folder = await fetchedModels();
const models = { skip: folder === undefined };
const folders = findSentenceModels({ MODELS_DIR: folder, MODEL_FOLDER: undefined }) ?? {
  english: '',
  multilingual: '',
};
const embedding = createPairedTextEmbedding(folders);
const ranker = createPassageRanker({ MODELS_DIR: folder, MODEL_FOLDER: undefined });
const sight = createSight({ MODELS_DIR: folder, MODEL_FOLDER: undefined });
const pictures = createSightEmbedding(sight, embedding);
after(() => Promise.all([pictures.close(), embedding.close(), ranker.close()]));
const signal = AbortSignal.timeout(300_000);

const PASSAGES = [
  'Clean the filter of the pump once a month.',
  'Der Filter der Pumpe ist jeden Monat zu reinigen.',
  'The choir rehearses on Tuesdays in the school hall.',
  'Der Chor probt dienstags in der Aula.',
];

describe('the two models of sentences', models, () => {
  it('find what means the same in the other words of a language, and in another language', async () => {
    const passages = await embedding.embed(PASSAGES, { role: 'passage', signal });
    const similarities = async (question: string) => {
      const [vector = []] = await embedding.embed([question], { role: 'query', signal });
      const dot = (other: readonly number[]) =>
        vector.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
      return passages.map((passage) => dot(passage) / PAIR.mostSimilar);
    };
    for (const question of [
      'How often do I have to wash the sieve of the machine that moves water?',
      'Wie oft muss ich das Sieb an der Wasserpumpe säubern?',
      '¿Cada cuánto tengo que limpiar el filtro de la bomba de agua?',
    ]) {
      const [english = 0, german = 0, ...others] = await similarities(question);
      for (const other of others) {
        assert.ok(english > other + 0.1, `${question}: ${english} ${other}`);
        assert.ok(german > other + 0.1, `${question}: ${german} ${other}`);
      }
    }
  });

  it('answer unit vectors, and 1 for a question that is the passage, whatever its language or length', async () => {
    const texts = [...PASSAGES, '.', '☃ 東京', 'x'.repeat(20_000), 'word '.repeat(3000)];
    const passages = await embedding.embed(texts, { role: 'passage', signal });
    const questions = await embedding.embed(texts, { role: 'query', signal });
    for (const [at, text] of texts.entries()) {
      const [one = [], other = []] = [passages[at], questions[at]];
      const name = text.slice(0, 30);
      assert.equal(one.length, PAIR.dimension);
      assert.ok(Math.abs(Math.hypot(...one) - 1) < 1e-5, name);
      const cosine = one.reduce((sum, value, axis) => sum + value * (other[axis] ?? 0), 0);
      assert.ok(Math.abs(cosine / PAIR.mostSimilar - 1) < 1e-4, `${name}: ${cosine}`);
    }
  });

  it('find what a picture shows by other words than its tags, and in other languages', async () => {
    const names = ['chelsea.jpg', 'coffee.jpg', 'rocket.jpg'];
    const vectors = await pictures.embed([...names.map(demoImage), Buffer.from('no image')], { signal });
    assert.equal(vectors.pop(), null);
    for (const [query, expected] of [
      ['kitten', 'chelsea.jpg'],
      ['Katze', 'chelsea.jpg'],
      ['猫', 'chelsea.jpg'],
      ['espresso', 'coffee.jpg'],
      ['une tasse de café', 'coffee.jpg'],
      ['rocket launch', 'rocket.jpg'],
      ['annual financial statement', undefined],
      ['☃', undefined],
    ] as const) {
      const text = (await pictures.embedText?.(query, { signal })) ?? [];
      const scores = vectors.map((vector) => {
        assert.ok(Math.abs(Math.hypot(...(vector ?? [])) - 1) < 1e-5);
        const cosine = text.reduce((sum, value, at) => sum + value * (vector?.[at] ?? 0), 0);
        return cosine / (pictures.mostSimilar?.(text) ?? 1);
      });
      const best = Math.max(...scores);
      const found = best < (pictures.near ?? 0) ? undefined : names[scores.indexOf(best)];
      assert.equal(found, expected, `${query}: ${scores.join()}`);
    }
  });
});

test('an image that was seen for its description is not looked at again for the index', models, async () => {
  const bytes = demoImage('rocket.jpg');
  const seen = await sight.see(bytes, { signal });
  assert.ok(seen);
  assert.equal(await sight.recall(Buffer.from(bytes), { signal }), seen);
  assert.notEqual(await sight.recall(bytes, { signal }), seen, 'it is kept for one step');
  assert.notEqual(
    await sight.see(bytes, { signal }),
    await sight.see(bytes, { signal }),
    'a description always looks',
  );
  const kept = await sight.see(bytes, { signal });
  await pictures.embed([bytes], { signal });
  assert.notEqual(await sight.recall(bytes, { signal }), kept, 'the index has taken it');
});

test('the ranking model knows an answer from words of the question', models, async () => {
  const cases: [question: string, answer: string, other: string][] = [
    [
      'When was INV-103 issued?',
      'Invoice INV-103 was issued on 3 May 2026.',
      'The invoice number is INV-103.',
    ],
    [
      'What is the price of the barrow?',
      'Article: Barrow, Weight: 14 kg, Price: 89.00',
      'The barrow has two wheels.',
    ],
    ['Wie lange dauert die Garantie?', 'Die Garantie beträgt zwei Jahre.', 'Der Preis beträgt 20 Euro.'],
  ];
  for (const [question, answer, other] of cases) {
    const [right = 0, wrong = 0] = (await ranker.rate(question, [answer, other], signal)) ?? [];
    assert.ok(right > wrong + 0.1, `${question} ${right} ${wrong}`);
  }
});

const LONG = Array.from({ length: 4 }, () => 'A word or two about the pump. '.repeat(60));
/** Threads of models: what each is asked, and how it is ended. */
const THREADS: readonly [name: string, start: () => { run(): Promise<unknown>; close(): Promise<void> }][] = [
  ['the pair', () => embeddingThread(createPairedTextEmbedding(folders))],
  ['the bundled model', () => embeddingThread(createLocalTextEmbedding())],
  [
    'the ranking model',
    () => {
      const own = createPassageRanker({ MODELS_DIR: folder, MODEL_FOLDER: undefined });
      return { run: () => own.rate('Why?', LONG, signal), close: () => own.close() };
    },
  ],
];
const embeddingThread = (own: TextEmbedding) => ({
  run: () => own.embed(LONG, { role: 'passage', signal }),
  close: () => own.close(),
});

describe('a thread that is ended while its model runs', models, () => {
  for (const [name, start] of THREADS) {
    it(`ends after the run, without this process: ${name}`, async () => {
      const thread = start();
      await thread.run();
      const running = Promise.allSettled([thread.run()]);
      // A run takes some 50 ms, so that one is most likely going on.
      await delay(30);
      await thread.close();
      await running;
      // Another one starts with the next call.
      await thread.run();
      await thread.close();
    });
  }
});

test('without the ranking model there are no ratings', models, async () => {
  const none = createPassageRanker({ MODELS_DIR: '/nonexistent', MODEL_FOLDER: undefined });
  assert.equal(await none.rate('Why?', ['Because.'], signal), undefined);
  await none.close();
});

test('short questions are English unless their words or letters are not', models, () => {
  const english = ['How do I set a logarithmic axis?', 'pipefail exit status', 'RFC 2616', ''];
  const others = [
    'Wie setze ich die Achse?',
    'Où est le fichier ?',
    '¿Cómo lo instalo?',
    'как установить',
    '予算',
  ];
  for (const text of english) assert.equal(isLikelyEnglish(text), true, text);
  for (const text of others) assert.equal(isLikelyEnglish(text), false, text);
});

test('weights are read from their files, and other types are left out', models, () => {
  const header = JSON.stringify({
    __metadata__: { format: 'pt' },
    a: { dtype: 'F32', shape: [2], data_offsets: [0, 8] },
    b: { dtype: 'I64', shape: [1], data_offsets: [8, 16] },
  });
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(header.length));
  const values = Buffer.from(new Float32Array([1.5, -2, 0, 0]).buffer);
  const weights = readSafetensors(Buffer.concat([size, Buffer.from(header), values]));
  assert.deepEqual([...weights.keys()], ['a']);
  assert.deepEqual([...(weights.get('a')?.values ?? [])], [1.5, -2]);
  assert.throws(() => readNpz(Buffer.from('no zip')));
});
