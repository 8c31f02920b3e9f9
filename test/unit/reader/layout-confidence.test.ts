import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { layoutConfidence } from '../../../packages/reader/src/layout/layout-confidence.ts';
import type { Run } from '../../../packages/reader/src/layout/page-parts.ts';
import type { PageElement } from 'darkroom-reader/document';
import { tableElement, textElement } from '../../support/elements.ts';

const PROSE = 'The keeper of the light wrote every night how the wind had turned and which ships had passed.';
const boxAt = (y: number) => ({ x: 0.1, y, w: 0.8, h: 0.08 });
const element = (
  type: 'paragraph' | 'figure',
  content: string,
  y: number,
  place: Partial<PageElement['box']> = {},
): PageElement => textElement(type, content, { box: { ...boxAt(y), ...place } });
const paragraph = element('paragraph', PROSE, 0.1);
const table = { ...tableElement(['Anchors', '17'], ['Ropes', '4']), box: boxAt(0.5) };
const PAGE = { width: 1000, height: 1000 };
const rule = { x0: 100, y0: 500, x1: 900, y1: 500 };
const run = (text: string, x0: number, baseline: number): Run => ({
  text,
  x0,
  x1: x0 + 10 * text.length,
  y0: baseline - 20,
  y1: baseline,
  baseline,
  size: 20,
  bold: false,
  italic: false,
  rightToLeft: false,
  spaceBefore: true,
});
/** Two rows of two cells within the paragraph. */
const cells = [
  run('Anchors', 110, 130),
  run('seventeen', 600, 130),
  run('Ropes', 110, 160),
  run('uncounted', 600, 160),
];
const labels = ['North', 'South', 'East', 'West'].map((name, at) =>
  element('paragraph', name, 0.3 + at * 0.1, { w: 0.1 }),
);

for (const [name, elements, drawn, expected] of [
  ['an empty page', [], {}, 1],
  ['a figure alone', [element('figure', '', 0.2)], {}, 1],
  ['prose', [paragraph], {}, 1],
  ['a table with rules', [table], { rules: [rule, { ...rule, y0: 550, y1: 550 }] }, 1],
  ['a table without rules', [table], {}, 0.5],
  ['labels that belong to something', labels, {}, 0.4],
  ['paragraphs across each other', [paragraph, element('paragraph', PROSE, 0.12)], {}, 0.2],
  ['cells read as a paragraph', [paragraph], { runs: cells }, 0.4],
  ['lines of a paragraph', [paragraph], { runs: [run(PROSE, 110, 130), run(PROSE, 110, 160)] }, 1],
  ['a header across a paragraph', [paragraph, { ...paragraph, role: 'page_header' }], {}, 1],
] as const)
  test(`the rules are sure of ${name} by ${expected}`, () => {
    assert.equal(layoutConfidence(elements, { ...PAGE, runs: [], rules: [], ...drawn }), expected);
  });

test('more labels on a page never make the rules surer of it', () => {
  fc.assert(
    fc.property(fc.nat(4), fc.nat(4), (some, more) => {
      const of = (count: number) =>
        layoutConfidence([paragraph, ...labels.slice(0, count)], { ...PAGE, runs: [], rules: [] });
      assert.ok(of(Math.min(4, some + more)) <= of(Math.min(4, some)));
    }),
  );
});
