import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adversarialTexts, type Attack } from './patterns/adversarial-texts.ts';
import { createMatcher } from './patterns/count-steps.ts';
import { findPatterns, patternsOf } from './patterns/find-patterns.ts';
import { parsePattern } from './patterns/parse-pattern.ts';

/** Folders with code that handles texts of tenants. */
const FOLDERS = ['domain', 'adapters', 'engines', 'packages', 'services'];
/**
 * Exceeds twice the bound of repetitions such as `{0,60}`, whose cost grows with the bound and with the
 * length.
 */
const LENGTH = 256;
/** Highest accepted factor of the cost when the text is doubled: 2 is linear, 4 quadratic. */
const MOST_GROWTH = 3;
/**
 * Short texts show most expressions to be linear at a fraction of the cost: a quarter takes no more than these steps per
 * character, where a quadratic expression takes more than twenty, or half of the text clearly less than four times as
 * many as a quarter, or the whole than half of it.
 */
const FREE_STEPS = 10;
const CLEAR_GROWTH = 2.4;
const MOST_STEPS = 2_000_000;

const textOf = ({ before, repeated, after }: Attack, length: number): string =>
  before + repeated.repeat(Math.ceil(length / repeated.length)) + after;

/** The text on which an expression takes more than linear time; undefined if none was found. */
function findWeakness(source: string, flags: string): { attack: Attack; growth: number } | undefined {
  const pattern = parsePattern(source, flags);
  const matcher = createMatcher(pattern, flags);
  for (const attack of adversarialTexts(pattern, flags)) {
    const quarter = textOf(attack, LENGTH / 4);
    const few = matcher.count(quarter, MOST_STEPS);
    if (few < quarter.length * FREE_STEPS) continue;
    const half = matcher.count(textOf(attack, LENGTH / 2), MOST_STEPS);
    if (half < MOST_STEPS && half < few * CLEAR_GROWTH) continue;
    const steps = matcher.count(textOf(attack, LENGTH), MOST_STEPS);
    if (steps < MOST_STEPS && steps < half * CLEAR_GROWTH) continue;
    const growth = matcher.count(textOf(attack, 2 * LENGTH), MOST_STEPS * MOST_GROWTH * 2) / steps;
    if (growth > MOST_GROWTH || steps >= MOST_STEPS) return { attack, growth };
  }
  return undefined;
}

test('every regular expression for texts of tenants takes linear time', () => {
  // Several places have the same expression.
  const weaknesses = new Map<string, ReturnType<typeof findWeakness>>();
  const weak = findPatterns(FOLDERS).flatMap((found) => {
    if ('unknown' in found) return [`${found.place}: ${found.unknown}`];
    const expression = `/${found.source}/${found.flags}`;
    if (!weaknesses.has(expression)) weaknesses.set(expression, findWeakness(found.source, found.flags));
    const weakness = weaknesses.get(expression);
    if (!weakness) return [];
    const { attack, growth } = weakness;
    return [
      `${found.place}: /${found.source}/ takes ${growth.toFixed(1)} times as long on twice ${JSON.stringify(attack)}`,
    ];
  });
  assert.deepEqual(weak, []);
});

for (const [source, flags] of [
  [String.raw`^(a+)+$`, ''],
  [String.raw`\s+$`, ''],
  [String.raw`\s*\n\s*`, 'g'],
  [String.raw`^\s*\d*\s*x`, ''],
  [String.raw`^(?:a|\p{L})*?b`, 'u'],
  [String.raw`(?<=a.*)b`, 'g'],
  [String.raw`x(?=.*y)`, 'g'],
  [String.raw`^(.*)\1$`, ''],
  [String.raw`^a{0,30000}a{0,30000}$`, ''],
] as const) {
  test(`/${source}/ is detected as superlinear`, () => assert.ok(findWeakness(source, flags)));
}

for (const [source, flags] of [
  [String.raw`\s+`, 'g'],
  [String.raw`^\s+`, ''],
  [String.raw`[^\p{L}]+`, 'gu'],
  [String.raw`^[^:]{1,60}:\s+\S`, ''],
  [String.raw`(?<!\\)\|`, ''],
  [String.raw`^(["'])x\1$`, ''],
  [String.raw`(?:\.\s?){4}`, 'g'],
] as const) {
  test(`/${source}/ is detected as linear`, () => assert.equal(findWeakness(source, flags), undefined));
}

test('expressions are found in literals and in constants of any place', () => {
  const text = String.raw`
    import { QUOTES } from './search-terms.ts';
    const DAY = String.raw${'`'}\d{1,2}${'`'};
    export const whole: RegExp = new RegExp(${'`'}^${'${DAY}'}$${'`'}, 'u');
    export const test = (name: string, given: string) => /a+/g.test(name) || RegExp('b').test(name) || new RegExp(given);
  `;
  assert.deepEqual(patternsOf('domain/search/a.ts', text), [
    { place: 'domain/search/a.ts:4', source: String.raw`^\d{1,2}$`, flags: 'u' },
    { place: 'domain/search/a.ts:5', source: 'a+', flags: 'g' },
    { place: 'domain/search/a.ts:5', source: 'b', flags: '' },
    { place: 'domain/search/a.ts:5', unknown: 'its parts are not constants' },
  ]);
});
