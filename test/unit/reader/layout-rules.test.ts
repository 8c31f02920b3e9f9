import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  headingLevel,
  headingTiers,
  isHeading,
  numberDepth,
} from '../../../packages/reader/src/layout/headings.ts';
import { cleanText, joinLines } from '../../../packages/reader/src/layout/plain-text.ts';
import { listMarker } from '../../../packages/reader/src/layout/list-marker.ts';
import { isUsableText } from '../../../packages/reader/src/pdf/read-page.ts';
import { turnBox } from '../../../packages/reader/src/layout/geometry.ts';
import { estimateSlope, slopeOf, straighten } from '../../../packages/reader/src/ocr-layout/straighten.ts';

test('words hyphenated at the end of a line are joined', () => {
  const cases: [lines: string[], text: string][] = [
    [['the con-', 'tinent'], 'the continent'],
    [['a well-known', 'and well-', 'known man'], 'a well-known and well-known man'],
    [['the years 1914-', '1918'], 'the years 1914-1918'],
    [['Anglo-', 'Saxon'], 'Anglo-Saxon'],
    [['a cost-', 'effective, high-', 'quality pump'], 'a cost-effective, high-quality pump'],
    [['state-of-the-', 'art, and high-', 'lights'], 'state-of-the-art, and highlights'],
    [['soft\u00AD', 'ware'], 'software'],
    [['漢字', '仮名'], '漢字仮名'],
    [['one', 'two'], 'one two'],
  ];
  for (const [lines, text] of cases) assert.equal(joinLines(lines), text);
});

test('the numbering of a heading gives its depth', () => {
  const depths: [text: string, depth: number][] = [
    ['1 Introduction', 1],
    ['2.3. Methods', 2],
    ['4.1.2 Results', 3],
    ['Appendix B Tables', 1],
    ['IV. Discussion', 1],
    ['A.2 Proofs', 2],
    ['1999 was a year', 0],
    ['Introduction', 0],
  ];
  for (const [text, depth] of depths) assert.equal(numberDepth(text), depth, text);
});

test('heading levels follow size, then weight, then the depth of the numbering', () => {
  const style = (size: number, bold: boolean, depth = 0) => ({ size, bold, capitals: false, depth });
  const tiers = headingTiers([style(12, true), style(18, true), style(12, false), style(18.2, true)], 0.03);
  assert.deepEqual(
    [style(18, true), style(12, true), style(12, false)].map((one) => headingLevel(one, tiers)),
    [1, 2, 3],
  );
  const numbered = headingTiers([style(10, true, 1), style(10, true, 2), style(10, true, 0)], 0.03);
  assert.deepEqual(
    [style(10, true, 1), style(10, true, 2), style(10, true, 0)].map((one) => headingLevel(one, numbered)),
    [1, 2, 1],
  );
});

test('bold lines are headings unless they read as sentences', () => {
  const body = { size: 10, bold: false };
  const bold = { size: 10, bold: true, capitals: false, depth: 0 };
  assert.ok(isHeading('Early Results', bold, body, 1));
  assert.ok(!isHeading('Do not open.', bold, body, 1));
  assert.ok(!isHeading('Early Results', bold, { size: 10, bold: true }, 1));
});

test('list markers are recognised', () => {
  assert.deepEqual(listMarker('• one'), { ordered: false, label: '•', sign: '-', rest: 'one' });
  assert.deepEqual(listMarker('12. twelve'), { ordered: true, label: '12', sign: '12.', rest: 'twelve' });
  assert.deepEqual(listMarker('(b) second'), { ordered: true, label: 'b', sign: '(b)', rest: 'second' });
  assert.deepEqual(listMarker('☐ Lights'), { ordered: false, label: '☐', sign: '☐', rest: 'Lights' });
  assert.equal(listMarker('-5 degrees'), undefined);
  assert.equal(listMarker('1999 was'), undefined);
});

test('ligatures become letters, and meaningful symbols stay', () => {
  assert.equal(cleanText('e\uFB03cient \uFE8D m² ½'), 'efficient ا m² ½');
  assert.equal(cleanText('a\u0000b\u00A0c\uFEFF'), 'ab c');
});

test('a text layer of unmapped glyphs is not usable, but one with leader dots is', () => {
  assert.ok(isUsableText('The river is wide. Ärger, данные, 数据, مرحبا'));
  assert.ok(isUsableText(`Introduction ${'. '.repeat(200)} 4`));
  assert.ok(!isUsableText('\uE001\uE002\uE003 \uE004\uE005 the'));
  assert.ok(!isUsableText('\u0003\u0010\u0011\u0012\u0014 ab'));
  assert.ok(!isUsableText(' \n '));
});

test('boxes of rotated text are where the page shows them', () => {
  const box = { x: 0.1, y: 0.2, w: 0.3, h: 0.1 };
  assert.deepEqual(turnBox(box, 0), box);
  assert.deepEqual(turnBox(box, 1), { x: 0.7, y: 0.1, w: 0.1, h: 0.3 });
  assert.deepEqual(turnBox(box, 2), { x: 0.6, y: 0.7, w: 0.3, h: 0.1 });
  assert.deepEqual(turnBox(box, 3), { x: 0.2, y: 0.6, w: 0.1, h: 0.3 });
});

test('the slope of a page is the slope of its lines', () => {
  const words = Array.from({ length: 60 }, (_, index) => {
    const [x0, line] = [(index % 10) * 100, Math.floor(index / 10)];
    const y1 = 100 + line * 40 + x0 * 0.02;
    return { text: 'sea', x0, x1: x0 + 80, y0: y1 - 20, y1, confidence: 90 };
  });
  assert.ok(Math.abs(estimateSlope(words) - 0.02) < 0.003);
});

test('words read from the right do not give a slope to separate lines', () => {
  const words = Array.from({ length: 60 }, (_, index) => {
    const [x0, line] = [1_000 - (index % 10) * 100, Math.floor(index / 10)];
    const y1 = 100 + line * 40;
    return { text: 'بحر', x0, x1: x0 + 80, y0: y1 - 20, y1, confidence: 90 };
  });
  assert.ok(Math.abs(estimateSlope(words)) < 0.003);
});

test('a skewed page is straightened', () => {
  const [width, height] = [600, 800];
  const grey = new Uint8Array(width * height).fill(255);
  for (let line = 60; line < 740; line += 24)
    for (let x = 50; x < 550; x++)
      for (let y = 0; y < 8; y++) grey[(line + y + Math.round(x * 0.03)) * width + x] = x % 7 < 4 ? 0 : 255;
  assert.ok(Math.abs(slopeOf({ width, height, grey }) - 0.03) < 0.003);
  assert.ok(Math.abs(slopeOf(straighten({ width, height, grey, dpi: 72, turns: 0 }))) < 0.003);
});
