import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { allowsStrict } from '../../../adapters/models/structured/strict-schema.ts';
import { answerSchema } from '../../../adapters/models/vision/answer-schemas.ts';
import { CONTENT_CATEGORIES } from '../../../domain/content-categories.ts';
import {
  CATEGORY_DOMAINS,
  EXTRACTION_DOMAINS,
  isReviewDomain,
  REVIEW_DOMAINS,
  domainsOf,
  hasDomains,
} from '../../../domain/extractions/domains.ts';
import { measureDomain } from '../../../domain/extractions/measured-domains.ts';
import {
  answerOfDomains,
  DOMAIN_DEFINITIONS,
  readAnswerOfDomains,
  RESULT_SCHEMAS,
} from '../../../domain/schemas/extractions/index.ts';
import { emptyResult } from '../../../domain/schemas/extractions/parts.ts';

test('every category except `general` has domains, and every domain belongs to a category', () => {
  assert.deepEqual(
    CONTENT_CATEGORIES.filter((category) => !hasDomains(category)),
    ['general'],
  );
  const asked = new Set(CONTENT_CATEGORIES.flatMap((category) => domainsOf(category)));
  assert.deepEqual([...asked].toSorted(), CATEGORY_DOMAINS.toSorted());
});

test('a category includes the domain of its own name, if there is one', () => {
  const named = CONTENT_CATEGORIES.filter((category) => CATEGORY_DOMAINS.some((one) => one === category));
  for (const category of named)
    assert.ok(
      domainsOf(category).some((domain) => domain === category),
      category,
    );
});

test('every reviewable domain is stored, and only names of the contract are reviewable', () => {
  for (const domain of REVIEW_DOMAINS) assert.ok(EXTRACTION_DOMAINS.includes(domain), domain);
  assert.equal(REVIEW_DOMAINS.length, 12);
  for (const name of ['product_photo', 'marketplace_compliance', '__proto__', '']) {
    assert.equal(isReviewDomain(name), false, name);
  }
});

test('versions of definitions are unique, and an empty answer is a valid result of each', () => {
  const versions = Object.values(DOMAIN_DEFINITIONS).map(({ version }) => version);
  assert.equal(new Set(versions).size, versions.length);
  for (const [domain, { result }] of Object.entries(DOMAIN_DEFINITIONS)) {
    assert.equal(result.safeParse(emptyResult(result)).success, true, domain);
  }
});

test('the answer of every category can be expressed as a strict schema', () => {
  for (const category of CONTENT_CATEGORIES.filter(hasDomains)) {
    assert.ok(allowsStrict(answerSchema(answerOfDomains(domainsOf(category)))), category);
  }
});

test('the result is valid for any box and confidence from a model, and a real box is kept', () => {
  const number = fc.double({ min: -2, max: 2, noNaN: true });
  const item = fc.record({
    symbol: fc.option(fc.string()),
    meaning: fc.option(fc.string()),
    bounding_box: fc.array(number, { maxLength: 5 }),
    confidence: fc.option(number),
  });
  fc.assert(
    fc.property(fc.array(item), (items) => {
      const read = readAnswerOfDomains({ legend: { title: null, items } })('legend');
      assert.equal(RESULT_SCHEMAS.legend.safeParse(read).success, true);
      for (const [at, { bounding_box: box }] of items.entries()) {
        const [left = -1, top = -1, right = -1, bottom = -1] = box;
        const real = left >= 0 && top >= 0 && right <= 1 && bottom <= 1 && left < right && top < bottom;
        assert.equal(read.items[at]?.['bounding_box'] !== null, real);
      }
    }),
  );
});

const facts = {
  colours: [{ name: 'navy', hex: '#001f3f', share: 0.6 }],
  brightness: 0.9,
  contrast: 0.3,
  colourfulness: 0.1,
  sharpness: 0.5,
  look: 'graphic',
  hasAlpha: false,
  frames: 1,
  exif: {},
} as const;
const box = (yMin: number) => ({ xMin: 0.1, yMin, xMax: 0.5, yMax: yMin + 0.03 });

test('every measured part is a valid result of its domain', () => {
  const textRegions = [
    { text: 'Invoice number: 4711', box: box(0.1) },
    { text: 'a line without a field', box: box(0.14) },
    { text: '12:30 at the gate', box: box(0.4) },
  ];
  const image = { facts: { ...facts, colours: [...facts.colours] }, textRegions };
  for (const domain of CATEGORY_DOMAINS) {
    const measured = measureDomain(domain, image);
    if (!measured) continue;
    const { result } = DOMAIN_DEFINITIONS[domain];
    assert.equal(result.safeParse({ ...emptyResult(result), ...measured.found }).success, true, domain);
    assert.equal(measured.found.items?.every(({ confidence }) => confidence === null) ?? true, true);
  }
  const fields = measureDomain('document', image)?.found.items;
  assert.deepEqual(
    fields?.map(({ label, value }) => [label, value]),
    [['Invoice number', '4711']],
  );
  const blocks = measureDomain('layout_region', image)?.found.items;
  assert.deepEqual(
    blocks?.map(({ text }) => text),
    ['Invoice number: 4711\na line without a field', '12:30 at the gate'],
  );
});

test('nothing is claimed about text that was not read', () => {
  const image = { facts: { ...facts, colours: [...facts.colours] }, textRegions: null };
  assert.deepEqual(
    CATEGORY_DOMAINS.filter((domain) => measureDomain(domain, image)),
    ['artwork'],
  );
});
