import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { createTextWork } from '../../../engines/text-work/text-work.ts';
import { createLocalVision } from '../../../adapters/models/vision/local-vision.ts';
import type { VisionInput } from '../../../adapters/models/vision/vision-model.ts';
import { NO_TOKENS } from '../../../domain/token-usage.ts';
import type { ImageFacts } from '../../../domain/image-analysis.ts';

const facts: ImageFacts = {
  colours: [
    { name: 'blue', hex: '#3060c0', share: 0.58 },
    { name: 'white', hex: '#f8f8f8', share: 0.24 },
    { name: 'green', hex: '#308030', share: 0.12 },
    { name: 'red', hex: '#c03030', share: 0.02 },
  ],
  brightness: 0.74,
  contrast: 0.15,
  colourfulness: 0.6,
  sharpness: 0.8,
  look: 'photograph',
  hasAlpha: false,
  frames: 1,
  exif: {},
};
const input: VisionInput = {
  image: () => Promise.reject(new Error('the local model needs no image')),
  facts,
  width: 4000,
  height: 3000,
  format: 'jpeg',
  filename: 'IMG_0001.jpg',
  contentCategory: 'general',
};
const { signal } = new AbortController();
const ask = (change: Partial<VisionInput> = {}) =>
  createLocalVision(createTextWork({ slots: 1 })).describe({ ...input, ...change }, { signal });

describe('local vision model', () => {
  it('describes the measurements and states that there is no vision model', async () => {
    assert.deepEqual(await ask(), {
      description:
        'A bright photograph in landscape format (4000 × 3000 pixels, JPEG). ' +
        'Mostly blue (58 %), with white (24 %) and green (12 %). ' +
        'It has little contrast, vivid colours, and crisp detail. ' +
        'Described from measurements, without a vision model.',
      tags: [
        'photograph',
        'landscape',
        'blue',
        'white',
        'green',
        'bright',
        'low-contrast',
        'colourful',
        'sharp',
      ],
      usage: NO_TOKENS,
      promptVersion: 'local-v1',
      confidence: null,
    });
  });

  it('describes how the image was taken', async () => {
    const exif = {
      takenAt: '2024-05-12T23:30:00.000Z',
      camera: 'Canon EOS R5',
      lens: 'RF24-70mm F2.8',
      iso: 100,
      exposureSeconds: 0.004,
      aperture: 4,
      focalLengthMm: 49.96,
    };
    const { description, tags } = await ask({ facts: { ...facts, exif } });
    assert.match(
      description,
      /Taken on 12 May 2024 with a Canon EOS R5 through a RF24-70mm F2\.8 at 1\/250 s, f\/4, ISO 100, 50 mm\./,
    );
    assert.ok(tags.includes('canon eos r5'));
  });

  it('quotes visible text, truncated', async () => {
    const { description, tags } = await ask({ visibleText: ' EXIT\n only ' });
    assert.match(description, /The text in it reads “EXIT only”\./);
    assert.ok(tags.includes('text'));
    const long = await ask({ visibleText: 'word '.repeat(2_000) });
    assert.ok(long.description.length < 700);
  });

  it('describes a blank image and an animated drawing as such', async () => {
    const white = {
      ...facts,
      look: 'blank',
      colours: [{ name: 'white', hex: '#ffffff', share: 1 }],
    } as const;
    const blank = await ask({
      facts: { ...white, colours: [...white.colours] },
      width: 10,
      height: 10,
      format: 'png',
    });
    assert.equal(
      blank.description,
      'A blank image in square format (10 × 10 pixels, PNG). It is white almost throughout. ' +
        'Described from measurements, without a vision model.',
    );
    const gif = await ask({
      facts: { ...facts, look: 'graphic', brightness: 0.5, frames: 12, hasAlpha: true },
      width: 900,
      height: 300,
      format: 'gif',
    });
    assert.match(
      gif.description,
      /^An animated graphic or drawing in very wide format \(900 × 300 pixels, GIF, 12 frames, with a transparency channel\)\./,
    );
    assert.ok(['graphic', 'panorama', 'animated', 'transparent'].every((tag) => gif.tags.includes(tag)));
  });

  it('distinguishes a page of text on paper from other photographs and from a graphic', async () => {
    const visibleText = Array.from({ length: 20 }, (_, at) => `line ${at}`).join('\n');
    const paper = { ...facts, brightness: 0.7, colourfulness: 0.05 };
    const page = await ask({ facts: paper, visibleText });
    assert.match(page.description, /^A scan or photograph of a page in /);
    assert.ok(page.tags.includes('page') && !page.tags.includes('photograph'));
    for (const other of [
      { facts: paper },
      { facts: { ...paper, brightness: 0.4 }, visibleText },
      { facts: { ...paper, colourfulness: 0.5 }, visibleText },
      { facts: { ...paper, look: 'graphic' as const }, visibleText },
    ]) {
      assert.ok(!(await ask(other)).tags.includes('page'));
    }
  });

  it('is deterministic, within the limits and grammatically complete for any measures', async () => {
    const unit = fc.double({ min: 0, max: 1, noNaN: true });
    const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
    const positive = fc.double({ min: 1e-5, max: 1e5, noNaN: true });
    const anyFacts = fc.record({
      colours: fc.array(
        fc.record({ name: fc.constantFrom('red', 'blue'), hex: fc.constant('#000000'), share: unit }),
        {
          maxLength: 5,
        },
      ),
      brightness: unit,
      contrast: unit,
      colourfulness: unit,
      sharpness: unit,
      look: fc.constantFrom('photograph' as const, 'graphic' as const, 'blank' as const),
      hasAlpha: fc.boolean(),
      frames: fc.integer({ min: 1, max: 10_000 }),
      exif: fc
        .record({
          takenAt: optional(fc.string({ unit: 'grapheme' })),
          camera: optional(fc.string({ unit: 'grapheme', maxLength: 200 })),
          iso: optional(positive),
          exposureSeconds: optional(positive),
          aperture: optional(positive),
        })
        .map((exif) => JSON.parse(JSON.stringify(exif)) as ImageFacts['exif']),
    });
    const side = fc.integer({ min: 1, max: 65_500 });
    await fc.assert(
      fc.asyncProperty(
        anyFacts,
        side,
        side,
        fc.string({ unit: 'binary' }),
        async (facts, width, height, visibleText) => {
          const answer = await ask({ facts, width, height, visibleText });
          assert.deepEqual(await ask({ facts, width, height, visibleText }), answer);
          const { description, tags } = answer;
          assert.ok(description.length <= 4_000);
          assert.match(description, /Described from measurements, without a vision model\.$/);
          if (!visibleText.trim()) assert.doesNotMatch(description, /undefined|NaN|false|Invalid|\bnull\b/);
          assert.ok(tags.length > 0 && tags.length <= 40 && tags.every((tag) => tag.length <= 50));
          assert.equal(new Set(tags).size, tags.length);
        },
      ),
      { numRuns: 100 },
    );
  });
});
