import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import type { ElementContent } from 'darkroom-reader/document';
import { setPage } from '../../../engines/image-decoder/set-page/set-page.ts';

const SIZE = { width: 320, height: { least: 450, most: 960 } };

/** The share of dark pixels of a part of the sheet, by rows. */
async function inkOf(elements: readonly ElementContent[], [from, to] = [0, 1], size = SIZE): Promise<number> {
  const { bytes, width, height } = await setPage(elements, size);
  const top = Math.floor(from * height);
  const part = { left: 0, top, width, height: Math.floor(to * height) - top };
  const { data } = await sharp(bytes).extract(part).greyscale().raw().toBuffer({ resolveWithObject: true });
  return data.filter((grey) => grey < 210).length / data.length;
}

const paragraph = (content: string): ElementContent => ({ type: 'paragraph', content });
const note = async (text: string) => (await inkOf([paragraph(text)], [0.9, 1])) > 0;

test('every kind of element is set', async () => {
  const elements: ElementContent[] = [
    { type: 'heading', level: 1, content: 'A heading' },
    paragraph('A paragraph'),
    { type: 'list', items: [{ marker: '-', text: 'An item', depth: 0, checked: true }] },
    { type: 'table', rows: [['A', 'B'], ['1'], []] },
    { type: 'key_value', key: 'Total', value: '12' },
    { type: 'code', content: 'a = 1;\nb = 2;' },
    { type: 'figure', content: 'A figure' },
    { type: 'paragraph', role: 'footnote', content: 'A note' },
  ];
  for (const element of elements) assert.ok((await inkOf([element])) > 0.0001, element.type);
  assert.equal(await inkOf([]), 0);
});

test('letters of the world are set without a note, and others with one', async () => {
  for (const text of ['Größe', 'Ελλάδα', 'Москва', 'مرحبا', 'שלום', 'हिन्दी', '中文', '日本語カナ', '한국어'])
    assert.equal(await note(text), false, text);
  for (const text of ['ภาษาไทย', 'ქართული', 'fine 😀']) assert.equal(await note(text), true, text);
});

test('markup and characters that nothing shows are text like any other', async () => {
  assert.ok((await inkOf([paragraph('<b>&amp; </span> <span size="999999">')])) < 0.05);
  for (const text of ['', ' \n ', '\u200b', '\u{e0001}', '\ud800', '\u202e\u2066', '\0\x01\x1b\ufffe'])
    await setPage([paragraph(text), { type: 'table', rows: [[text]] }], SIZE);
  const all = String.fromCharCode(...Array.from({ length: 0x3000 }, (_, at) => at));
  await setPage([paragraph(all), { type: 'key_value', key: all, value: all }], SIZE);
});

test('a page of any length fills one sheet, and the rest is left out', async () => {
  const long: ElementContent[][] = [
    [paragraph('word '.repeat(200_000))],
    [paragraph('\n'.repeat(100_000))],
    Array.from({ length: 20_000 }, () => paragraph('x')),
    [paragraph('\ufdfd'.repeat(50_000))],
    [{ type: 'list', items: Array.from({ length: 50_000 }, () => ({ marker: '1.', text: 'x', depth: 99 })) }],
    [{ type: 'table', rows: Array.from({ length: 2_000 }, () => Array.from({ length: 300 }, () => 'cell')) }],
  ];
  for (const [at, elements] of long.entries()) {
    const { width, height } = await setPage(elements, SIZE);
    assert.equal(width, 320);
    assert.ok(height <= 960, `page ${at} is ${height} high`);
  }
});
