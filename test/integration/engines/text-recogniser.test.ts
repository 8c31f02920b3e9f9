import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Sharp } from 'sharp';
import { greyImage } from '../../../engines/image-decoder/render-view.ts';
import {
  type ReadableImage,
  RecogniserClosed,
  RecogniserTimeout,
} from '../../../engines/text-recogniser/text-recogniser.ts';
import { findLanguageData } from '../../../engines/text-recogniser/language-data.ts';
import { startRecogniserThread } from '../../../engines/text-recogniser/recogniser-thread.ts';
import { createTesseractRecogniser } from '../../../engines/text-recogniser/tesseract-recogniser.ts';
import { imageOfText, screenshot } from '../../support/images-of-text.ts';

const recogniser = createTesseractRecogniser({ languages: ['eng'], slots: 1 });
after(() => recogniser.close());
const { signal } = new AbortController();

const SAMPLES = new URL('../../../dev/samples/', import.meta.url);
const grey = (bytes: Uint8Array, maxDimension = 2000): Promise<ReadableImage> =>
  greyImage(bytes, { maxDimension, maxEnlargement: 1 });
const png = (image: Sharp) => image.png().toBuffer();

test('lines of text are returned with their bounding boxes', async () => {
  const regions = await recogniser.read(await grey(await png(screenshot())), { tenantId: 'one', signal });
  assert.deepEqual(
    regions.map(({ text }) => text),
    ['Quarterly report', 'Seventeen invoices are overdue since March', 'Continue'],
  );
  const [title, , button] = regions.map(({ box }) => box);
  assert.ok(title && button);
  const near = (value: number, expected: number) => Math.abs(value - expected) < 0.02;
  assert.ok(near(title.xMin, 40 / 1280) && near(title.yMax, 66 / 720), JSON.stringify(title));
  assert.ok(near(button.xMin, 1050 / 1280) && near(button.yMin, 661 / 720), JSON.stringify(button));
  for (const { box } of regions) {
    assert.ok(box.xMin < box.xMax && box.yMin < box.yMax && box.xMax <= 1 && box.yMax <= 1);
  }
});

test('light text on a dark background is read as well', async () => {
  const image = imageOfText({ width: 800, height: 300, background: '#1e1e1e' }, [
    { text: 'Connection refused by the server', x: 40, y: 150, size: 26, colour: '#d4d4d4' },
  ]);
  const regions = await recogniser.read(await grey(await png(image)), { tenantId: 'one', signal });
  assert.deepEqual(
    regions.map(({ text }) => text),
    ['Connection refused by the server'],
  );
});

/** Processor time of this process and its threads, in milliseconds. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

test('photographs have no text, which is detected with much less work than a page is read', async () => {
  const took = { photographs: 0, page: 0 };
  for (const name of readdirSync(SAMPLES).filter((name) => /\.(jpg|webp)$/.test(name))) {
    const photograph = await grey(readFileSync(new URL(name, SAMPLES)), 1024);
    const began = cpuMs();
    assert.equal(await recogniser.hasText(photograph, { tenantId: 'one', signal }), false, name);
    took.photographs = Math.max(took.photographs, cpuMs() - began);
  }
  const lines = Array.from({ length: 25 }, (_, line) => ({
    text: 'The quick brown fox jumps over the lazy dog while seventeen engineers review it',
    x: 40,
    y: 60 + line * 36,
    size: 22,
  }));
  const page = await grey(await png(imageOfText({ width: 1100, height: 1000 }, lines)));
  assert.equal(await recogniser.hasText(page, { tenantId: 'one', signal }), true);
  const began = cpuMs();
  const regions = await recogniser.read(page, { tenantId: 'one', signal });
  took.page = cpuMs() - began;
  assert.equal(regions.length, 25);
  assert.ok(took.photographs < took.page / 2, JSON.stringify(took));
});

const noise = {
  data: Uint8Array.from({ length: 2000 * 2000 }, (_, at) => (Math.imul(at, 2_654_435_761) >>> 24) & 255),
  width: 2000,
  height: 2000,
};

test('a cancelled image stops immediately, and the next one is read by a new engine', async () => {
  const cancelled = new AbortController();
  const reading = recogniser.read(noise, { tenantId: 'one', signal: cancelled.signal });
  const reason = new Error('the file was deleted');
  setImmediate(() => cancelled.abort(reason));
  await assert.rejects(reading, reason);
  const regions = await recogniser.read(await grey(await png(screenshot())), { tenantId: 'one', signal });
  assert.equal(regions.length, 3);
});

test('a text is read in the language of its words, with its marks and letters', async (t) => {
  const lines = [
    'Geöffnet außer an Feiertagen, auch für Schüler',
    'Überall hört man schöne Grüße aus der großen Küche',
    'Die Straße führt über Flüsse, Hügel und Brücken',
  ];
  const image = imageOfText(
    { width: 1200, height: 400 },
    lines.map((text, at) => ({ text, x: 40, y: 100 + at * 90, size: 32 })),
  );
  const german = await grey(await png(image));
  const several = createTesseractRecogniser({ languages: ['eng', 'deu'], slots: 1 });
  t.after(() => several.close());
  const options = { tenantId: 'one', signal };
  const textOf = async (given?: { languages: string[] }): Promise<string[]> => {
    const regions = await several.read(german, { ...options, ...given });
    return regions.map(({ text }) => text);
  };
  assert.deepEqual(await several.findLanguages(german, options), ['deu']);
  assert.deepEqual(await textOf(), lines);
  assert.notDeepEqual(await textOf({ languages: ['eng'] }), lines);
});

test('an image that exceeds its processor time is aborted', async () => {
  const hasty = createTesseractRecogniser({
    languages: ['eng'],
    slots: 1,
    budget: { cpuMs: 1, wallMs: 120_000 },
  });
  await assert.rejects(hasty.read(noise, { tenantId: 'one', signal }), RecogniserTimeout);
  await hasty.close();
});

test('nothing is read after close', async () => {
  const closed = createTesseractRecogniser({ languages: ['eng'], slots: 1 });
  await closed.close();
  await assert.rejects(
    closed.read(await grey(await png(screenshot())), { tenantId: 'one', signal }),
    RecogniserClosed,
  );
});

test('a language whose data is not installed is named', () => {
  assert.throws(
    () => createTesseractRecogniser({ languages: ['eng', 'xyz'], slots: 1 }),
    /@tesseract\.js-data\/xyz/,
  );
});

test('a long-lived engine does not accumulate memory', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const thread = await startRecogniserThread(['eng'], findLanguageData(['eng'])());
  const read = async () => {
    const [line] = await thread.readLines(await grey(await png(screenshot())));
    assert.ok(line);
    return new WeakRef(line);
  };
  try {
    const words = await read();
    // The last image may still be referenced by the wait for the next one.
    await read();
    await nextTurn();
    collectGarbage();
    assert.equal(words.deref(), undefined);
  } finally {
    await thread.kill();
  }
});
