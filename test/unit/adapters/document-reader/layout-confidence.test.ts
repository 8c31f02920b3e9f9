import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { layoutConfidence } from '../../../../adapters/document-reader/layout/layout-confidence.ts';
import type { PageElement } from '../../../../domain/documents/page.ts';

const PROSE = 'The keeper of the light wrote every night how the wind had turned and which ships had passed.';
const element = (
  type: PageElement['type'],
  content: string,
  y: number,
  place: Partial<PageElement['box']> = {},
): PageElement => ({ type, content, box: { x: 0.1, y, w: 0.8, h: 0.08, ...place }, metadata: {} });
const paragraph = element('paragraph', PROSE, 0.1);
const table = element('table', '| Anchors | 17 |\n| --- | --- |\n| Ropes | 4 |', 0.5);
const rule = { x: 0.1, y: 0.5, w: 0.8, h: 0 };
const labels = ['North', 'South', 'East', 'West'].map((name, at) =>
  element('paragraph', name, 0.3 + at * 0.1, { w: 0.1 }),
);

for (const [name, elements, rules, expected] of [
  ['an empty page', [], [], 1],
  ['a figure alone', [element('figure', '', 0.2)], [], 1],
  ['prose', [paragraph], [], 1],
  ['a table with rules', [table], [rule, { ...rule, y: 0.55 }], 1],
  ['a table without rules', [table], [], 0.5],
  ['labels that belong to something', labels, [], 0.4],
  ['paragraphs across each other', [paragraph, element('paragraph', PROSE, 0.12)], [], 0.2],
  ['a header across a paragraph', [paragraph, { ...paragraph, metadata: { role: 'page_header' } }], [], 1],
] as const)
  test(`the rules are sure of ${name} by ${expected}`, () => {
    assert.equal(layoutConfidence(elements, rules), expected);
  });

test('more labels on a page never make the rules surer of it', () => {
  fc.assert(
    fc.property(fc.nat(4), fc.nat(4), (some, more) => {
      const of = (count: number) => layoutConfidence([paragraph, ...labels.slice(0, count)], []);
      assert.ok(of(Math.min(4, some + more)) <= of(Math.min(4, some)));
    }),
  );
});
