import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import sharp, { type Sharp } from 'sharp';
import { greyImage } from '../../../engines/image-decoder/render-view.ts';
import { createPpocrRecogniser, findTextModels } from '../../../engines/text-recogniser/ppocr-recogniser.ts';
import { createTesseractRecogniser } from '../../../engines/text-recogniser/tesseract-recogniser.ts';
import {
  type ReadableImage,
  RecogniserClosed,
  RecogniserTimeout,
} from '../../../engines/text-recogniser/text-recogniser.ts';
import { imageOfText, screenshot } from '../../support/images-of-text.ts';
import { fetchedModels } from '../../support/models.ts';

const fetched = await fetchedModels();
const models = { skip: fetched === undefined };
const MODELS_DIR = fetched ?? '';
const SAMPLES = new URL('../../../dev/samples/', import.meta.url);
const { signal } = new AbortController();
const options = { tenantId: 'one', signal };
const languages = ['eng', 'ara'];
const withModels = (folder: string, budget?: { cpuMs: number; wallMs: number }) =>
  createPpocrRecogniser({
    languages,
    slots: 1,
    models: () => findTextModels({ MODELS_DIR: folder }),
    fallback: createTesseractRecogniser({ languages, slots: 1 }),
    ...(budget && { budget }),
  });
const recogniser = withModels(MODELS_DIR);
after(() => recogniser.close());

const grey = (bytes: Uint8Array): Promise<ReadableImage> =>
  greyImage(bytes, { maxDimension: 2000, maxEnlargement: 1 });
const png = (image: Sharp) => image.png().toBuffer();
const textsOf = async (image: ReadableImage, by = recogniser) =>
  (await by.read(image, options)).map(({ text }) => text);

test('lines are read in order, with the boxes of their letters', models, async () => {
  const image = await grey(await png(screenshot()));
  const regions = await recogniser.read(image, options);
  assert.deepEqual(
    regions.map(({ text }) => text),
    ['Quarterly report', 'Seventeen invoices are overdue since March', 'Continue'],
  );
  const [title, , button] = regions.map(({ box }) => box);
  assert.ok(title && button);
  const near = (value: number, expected: number) => Math.abs(value - expected) < 0.02;
  assert.ok(near(title.xMin, 40 / 1280) && near(title.yMax, 66 / 720), JSON.stringify(title));
  assert.ok(near(button.xMin, 1050 / 1280) && near(button.yMin, 661 / 720), JSON.stringify(button));
});

test('what a quick model may take for something else is read as without it', models, async () => {
  const lines = [
    'The invoice of the harbour has pages 29 / 58 and 30 / 58',
    'Știința și tehnologia sunt părți ale culturii noastre',
    'All of it is plain text that anyone can read',
    'Polski złoty i węgierski forint są walutami, których ceny się zmieniają',
    'Gość z Łodzi zapłacił złotymi',
    'węgierski złoty',
  ];
  const image = await grey(
    await png(
      imageOfText(
        { width: 1200, height: 560 },
        lines.map((text, at) => ({ text, x: 60, y: 80 + at * 80, size: 30 })),
      ),
    ),
  );
  const thorough = createPpocrRecogniser({
    languages,
    slots: 1,
    models: () => {
      const found = findTextModels({ MODELS_DIR });
      return found && { ...found, quickRecognition: undefined };
    },
    fallback: createTesseractRecogniser({ languages, slots: 1 }),
  });
  try {
    const wordsOf = async (by: typeof thorough) =>
      (await by.readWords(image, options)).map(({ text }) => text);
    const expected = await wordsOf(thorough);
    assert.ok(expected.length > 20);
    assert.deepEqual(await wordsOf(recogniser), expected);
  } finally {
    await thorough.close();
  }
});

test('slanted text, and text that runs up, is read', models, async () => {
  const image = imageOfText({ width: 900, height: 500, background: '#204060' }, [
    { text: 'Harbour ticket office', x: 80, y: 220, size: 44, colour: '#ffffff' },
  ]);
  const slanted = await grey(await image.rotate(11, { background: '#204060' }).png().toBuffer());
  assert.deepEqual(await textsOf(slanted), ['Harbour ticket office']);
  const upended = imageOfText({ width: 900, height: 300 }, [
    { text: 'Volume seventeen', x: 60, y: 170, size: 60 },
  ]);
  assert.deepEqual(await textsOf(await grey(await upended.rotate(270).png().toBuffer())), [
    'Volume seventeen',
  ]);
});

test('columns of running text are read one after the other', models, async () => {
  const column = (words: string, x: number) =>
    Array.from({ length: 6 }, (_, line) => ({
      text: `${words} number ${line + 1}`,
      x,
      y: 120 + line * 50,
      size: 22,
    }));
  const image = imageOfText({ width: 1300, height: 480 }, [
    { text: 'Both columns have this heading', x: 60, y: 50, size: 34 },
    ...column('Running text of the left column', 60),
    ...column('Running text of the right column', 700),
  ]);
  const lines = await textsOf(await grey(await png(image)));
  assert.deepEqual(lines, [
    'Both columns have this heading',
    ...[1, 2, 3, 4, 5, 6].map((line) => `Running text of the left column number ${line}`),
    ...[1, 2, 3, 4, 5, 6].map((line) => `Running text of the right column number ${line}`),
  ]);
});

test('no text is read in photographs', models, async () => {
  for (const name of readdirSync(SAMPLES).filter((name) => /\.(jpg|webp)$/.test(name)))
    assert.deepEqual(await textsOf(await grey(readFileSync(new URL(name, SAMPLES)))), [], name);
});

test('the language of a text is found; a hint of another script calls the fallback', models, async () => {
  const image = await grey(await png(screenshot()));
  assert.deepEqual(await recogniser.findLanguages(image, options), ['eng']);
  const arabic = await recogniser.readWords(image, { ...options, languages: ['ara'] });
  assert.ok(
    !arabic
      .map(({ text }) => text)
      .join(' ')
      .includes('Quarterly report'),
  );
});

test('a page is told how it lies before it is read', models, async () => {
  const words = readFileSync(new URL('../../../LICENSE', import.meta.url), 'utf8').match(/[^\n]+/g) ?? [];
  const page = imageOfText(
    { width: 1240, height: 1000 },
    words.map((line, at) => ({ text: line.replaceAll(/[<>&]/g, ''), x: 120, y: 120 + at * 46, size: 24 })),
  );
  const upright = await png(page);
  for (const turns of [0, 1, 2, 3]) {
    const lying = await grey(
      await sharp(upright)
        .rotate(turns * 90)
        .png()
        .toBuffer(),
    );
    assert.equal(await recogniser.findTurns(lying, options), turns);
  }
});

test('without the models, the fallback reads', models, async () => {
  const without = withModels(mkdtempSync(join(tmpdir(), 'no-models-')));
  const image = await grey(await png(screenshot()));
  assert.equal(await without.hasText(image, options), true);
  assert.equal((await textsOf(image, without)).length, 3);
  assert.equal(await without.findTurns(image, options), undefined);
  await without.close();
  await assert.rejects(without.read(image, options), RecogniserClosed);
});

test('an image over its budget, and a cancelled one, are ended; the next is read', models, async () => {
  const noise = {
    data: Uint8Array.from({ length: 2000 * 2000 }, (_, at) => (Math.imul(at, 2_654_435_761) >>> 24) & 255),
    width: 2000,
    height: 2000,
  };
  const hasty = withModels(MODELS_DIR, { cpuMs: 1, wallMs: 120_000 });
  const long = Array.from({ length: 40 }, (_, at) => ({
    text: `Line ${at} of a page that takes longer than its budget`,
    x: 60,
    y: 60 + at * 48,
    size: 30,
  }));
  const page = await grey(await png(imageOfText({ width: 1200, height: 2000 }, long)));
  await assert.rejects(hasty.read(page, options), RecogniserTimeout);
  await hasty.close();
  const cancelled = new AbortController();
  const reading = recogniser.read(noise, { ...options, signal: cancelled.signal });
  const reason = new Error('the file was deleted');
  setImmediate(() => cancelled.abort(reason));
  await assert.rejects(reading, reason);
  assert.equal((await textsOf(await grey(await png(screenshot())))).length, 3);
});
