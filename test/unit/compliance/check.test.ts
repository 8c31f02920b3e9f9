import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  checkRules,
  complianceStatus,
  nameOf,
  rulesToAsk,
  type CheckedImage,
  type RuleAssessment,
} from '../../../domain/compliance/check.ts';
import {
  COMPLIANCE_IMAGE_TYPES,
  COMPLIANCE_TYPES,
  type ComplianceRequest,
} from '../../../domain/compliance/compliance.ts';
import { findStandard, rulesFor, standardsOf, type Rule } from '../../../domain/compliance/standards.ts';

const NO_BANDS = { top: 0, right: 0, bottom: 0, left: 0 };
const image: CheckedImage = {
  width: 2000,
  height: 1500,
  format: 'jpeg',
  sizeBytes: 3_000_000,
  margins: { whiteRing: 1, subject: { width: 0.9, height: 0.6 }, bands: NO_BANDS },
  textRegions: [],
};
const request: ComplianceRequest = { type: 'marketplace', standard: 'x', imageType: 'main' };
const box = { xMin: 0, yMin: 0, xMax: 1, yMax: 0.1 };
const written = (text: string): Partial<CheckedImage> => ({ textRegions: [{ text, box }] });

function check(
  rule: Rule,
  changes: Partial<CheckedImage> = {},
  assessments: Record<string, RuleAssessment> = {},
) {
  const standard = { title: 'x', source: 'x', asOf: '2026-11', rules: [rule] };
  const [outcome] = checkRules(
    standard,
    request,
    { ...image, ...changes },
    assessments,
    'it needs a vision model',
  );
  assert.ok(outcome);
  return outcome;
}

const margins = (changes: Partial<CheckedImage['margins']>) => ({
  margins: { ...image.margins, ...changes },
});
const border: Rule = { kind: 'no_border' };
const mark: Rule = { kind: 'no_watermark' };
const contact: Rule = { kind: 'no_contact_details' };
const overlay: Rule = { kind: 'no_text_overlay' };
const people: Rule = { kind: 'seen', name: 'no_people', expected: 'no people' };

for (const [what, rule, changes, verdict, method] of [
  ['an accepted format', { kind: 'formats', formats: ['jpeg'] }, {}, 'passed', 'measured'],
  ['another format', { kind: 'formats', formats: ['png'] }, {}, 'failed', 'measured'],
  ['exactly the minimum width', { kind: 'min_width', pixels: 2000 }, {}, 'passed', 'measured'],
  ['a width of one pixel less', { kind: 'min_width', pixels: 2001 }, {}, 'failed', 'measured'],
  ['an insufficient height', { kind: 'min_height', pixels: 1501 }, {}, 'failed', 'measured'],
  [
    'the longest side of a portrait',
    { kind: 'min_longest_side', pixels: 3000 },
    { height: 3000 },
    'passed',
    'measured',
  ],
  ['an excessive side', { kind: 'max_longest_side', pixels: 1999 }, {}, 'failed', 'measured'],
  [
    'exactly the maximum number of megapixels',
    { kind: 'max_megapixels', megapixels: 3 },
    {},
    'passed',
    'measured',
  ],
  ['an oversized file', { kind: 'max_file_size', megabytes: 2 }, {}, 'failed', 'measured'],
  ['an aspect ratio in range', { kind: 'aspect_ratio', min: 1, max: 1.4 }, {}, 'passed', 'measured'],
  ['a portrait', { kind: 'aspect_ratio', min: 1, max: 2 }, { width: 1000 }, 'failed', 'measured'],
  ['a white background', { kind: 'white_background', share: 0.95 }, {}, 'passed', 'measured'],
  [
    'a pale background',
    { kind: 'white_background', share: 0.95 },
    margins({ whiteRing: 0.9 }),
    'failed',
    'measured',
  ],
  ['a subject that fills the frame', { kind: 'subject_size', share: 0.85 }, {}, 'passed', 'measured'],
  [
    'a small subject',
    { kind: 'subject_size', share: 0.85 },
    margins({ subject: { width: 0.3, height: 0.2 } }),
    'failed',
    'measured',
  ],
  [
    'an empty white image',
    { kind: 'subject_size', share: 0.85 },
    margins({ subject: null }),
    'failed',
    'measured',
  ],
  [
    'a subject without white around it',
    { kind: 'subject_size', share: 0.85 },
    margins({ whiteRing: 0 }),
    'not_checked',
    null,
  ],
  [
    'a frame',
    border,
    margins({ bands: { top: 0.02, right: 0.02, bottom: 0.02, left: 0.02 } }),
    'failed',
    'measured',
  ],
  [
    'letterbox bars',
    border,
    margins({ bands: { ...NO_BANDS, top: 0.1, bottom: 0.1 } }),
    'failed',
    'measured',
  ],
  ['one even side', border, margins({ bands: { ...NO_BANDS, top: 0.1 } }), 'passed', 'measured'],
  ['no text', overlay, {}, 'passed', 'text'],
  ['text of unknown meaning', overlay, written('FOR SALE'), 'not_checked', null],
  ['unread text', overlay, { textRegions: null }, 'not_checked', null],
  ['a telephone number', contact, written('Call (407) 555-0134 today'), 'failed', 'text'],
  ['an international number', contact, written('+49 30 1234567'), 'failed', 'text'],
  ['an email address', contact, written('ann@realty.example'), 'failed', 'text'],
  ['a web address', contact, written('www.realty.example/42'), 'failed', 'text'],
  ['a house number', contact, written('1428 Elm Street'), 'not_checked', null],
  ['a copyright sign', mark, written('© Studio North'), 'failed', 'text'],
  ['the name of an agency', mark, written('shutterstock'), 'failed', 'text'],
  ['an image without a legible mark', mark, {}, 'not_checked', null],
  ['a visual condition without a model', people, {}, 'not_checked', null],
] as const satisfies [string, Rule, Partial<CheckedImage>, string, string | null][]) {
  test(`${rule.kind}: ${what} is ${verdict}`, () => {
    const outcome = check(rule, changes);
    assert.deepEqual([outcome.verdict, outcome.method], [verdict, method]);
    assert.equal(outcome.verdict === 'not_checked', outcome.reason !== null);
    assert.equal(outcome.verdict === 'not_checked', outcome.measured === null);
  });
}

test('the model decides only the rules that were not measured', () => {
  const seen = (kept: boolean | null): RuleAssessment => ({ kept, observation: 'a dog', confidence: 0.6 });
  const outcome = check(people, {}, { no_people: seen(false) });
  assert.deepEqual([outcome.verdict, outcome.measured, outcome.confidence], ['failed', 'a dog', 0.6]);
  assert.equal(check(people, {}, { no_people: seen(null) }).reason, 'a dog');
  assert.equal(
    check(contact, written('www.a.example'), { no_contact_details: seen(true) }).verdict,
    'failed',
  );
  assert.equal(check(overlay, {}, { no_text_overlay: seen(false) }).verdict, 'failed');
});

test('one broken rule fails the image, and an image with unchecked rules does not pass', () => {
  const of = (...verdicts: ('passed' | 'failed' | 'not_checked')[]) =>
    complianceStatus(verdicts.map((verdict) => ({ verdict })));
  assert.deepEqual(
    [of('passed', 'failed'), of('passed', 'not_checked'), of('not_checked'), of()],
    ['failed', 'passed', 'not_checked', 'not_checked'],
  );
});

test('standards are found in any case, and unknown names are not found', () => {
  assert.equal(findStandard('marketplace', 'Amazon'), findStandard('marketplace', 'amazon'));
  for (const name of ['constructor', '__proto__', '', 'mls'])
    assert.equal(findStandard('mls', name), undefined);
});

test('every standard has a source and distinct rule names for each place', () => {
  for (const type of COMPLIANCE_TYPES) {
    for (const name of standardsOf(type)) {
      const standard = findStandard(type, name);
      assert.ok(standard?.source && /^\d{4}-\d\d$/.test(standard.asOf), name);
      for (const imageType of COMPLIANCE_IMAGE_TYPES) {
        const names: string[] = rulesFor(standard, imageType).map(nameOf);
        assert.equal(new Set(names).size, names.length, name);
        assert.ok(names.length > 0, name);
        const asked = rulesToAsk(standard, { type, standard: name, imageType }).map(nameOf);
        assert.ok(asked.every((one) => names.includes(one)));
      }
    }
  }
});
