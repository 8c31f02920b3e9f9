import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PageRaster, RecognisedWord } from '../../../packages/reader/src/opened-document.ts';
import { layOutWords } from '../../../packages/reader/src/ocr-layout/lay-out-words.ts';
import { learnLetterWidths } from '../../../packages/reader/src/ocr-layout/font-measures.ts';
import { evenContrast } from '../../../packages/reader/src/ocr-layout/even-contrast.ts';
import { mostInkedPart } from '../../../packages/reader/src/ocr-layout/most-inked-part.ts';
import { recogniseUpright } from '../../../packages/reader/src/ocr-layout/recognise-upright.ts';
import { settlePages } from '../../../packages/reader/src/ocr-layout/settle-pages.ts';
import { runsSideways, turnBack } from '../../../packages/reader/src/ocr-layout/turn-raster.ts';
import type { PageContent, PageElement } from 'darkroom-reader/document';
import { shown } from '../../support/elements.ts';

const heading = (content: string, fontSize: number): PageElement => ({
  type: 'heading',
  content,
  box: { x: 0.1, y: 0.4, w: 0.5, h: 0.02 },
  level: 1,
  fontSize,
});
const line = (content: string, y: number): PageElement => ({
  type: 'paragraph',
  content,
  box: { x: 0.1, y, w: 0.5, h: 0.015 },
});
const scanned = (...pages: PageElement[][]): PageContent[] =>
  pages.map((elements, index) => ({ pageNumber: index + 1, source: 'ocr', elements }));
const levels = (pages: readonly PageContent[]) =>
  settlePages(pages).flatMap(({ elements }) =>
    elements.map((element) => element.type === 'heading' && element.level),
  );

test('levels of scanned headings follow the sizes in the whole document', () => {
  const sizes = [
    [19, 14.1, 11.4],
    [14, 11.6],
    [11.5, 13.8],
  ];
  const pages = scanned(...sizes.map((some) => some.map((size) => heading('Northern River', size))));
  assert.deepEqual(levels(pages), [1, 2, 3, 2, 3, 3, 2]);
});

test('levels of numbered headings follow the numbers, below a title', () => {
  const numbered = [heading('1 River', 12), heading('1.1 Bridge', 12.3), heading('2 Harbour', 11.8)];
  assert.deepEqual(levels(scanned(numbered)), [1, 2, 1]);
  assert.deepEqual(levels(scanned([heading('The Survey', 20), ...numbered])), [1, 2, 3, 2]);
});

test('headings of a text layer with levels are not changed', () => {
  const text = (level: number): PageElement => ({ ...heading('A', 0), level }) as PageElement;
  const pages: PageContent[] = [
    { pageNumber: 1, source: 'text_layer', elements: [text(1), text(2)] },
    { pageNumber: 2, source: 'ocr', elements: [heading('B', 20), heading('C', 12)] },
  ];
  assert.deepEqual(levels(pages), [1, 2, 1, 1]);
});

test('lines repeated at the edge of scanned pages are running lines, also when one page is read again', () => {
  const page = (number: number) => [line('Annual report', 0.04), line(`Text ${'abcd'[number] ?? ''}`, 0.5)];
  const settled = settlePages(scanned(page(0), page(1), page(2), page(3)));
  const roles = (pages: readonly PageContent[]) =>
    pages.flatMap(({ elements }) => elements.map(({ role }) => role));
  const expected = Array.from({ length: 4 }, () => ['page_header', undefined]).flat();
  assert.deepEqual(roles(settled), expected);
  assert.deepEqual(settlePages(settled), settled);
  const again = settled.map((one) => (one.pageNumber === 2 ? { ...one, elements: page(1) } : one));
  assert.deepEqual(roles(settlePages(again)), expected);
});

test('lines can run across scanned pages and pages with a text layer', () => {
  const pages = Array.from({ length: 4 }, (_, at): PageContent => {
    const elements = [line(`Page ${at + 1} of 4`, 0.96)];
    return { pageNumber: at + 1, source: at % 2 === 0 ? 'text_layer' : 'ocr', elements };
  });
  assert.deepEqual(
    settlePages(pages).map(({ elements: [element] }) => element?.role),
    Array(4).fill('page_footer'),
  );
});

test('a large heading of a scan is never a running line, but a line that is only bold can be one', () => {
  const titled = (relativeSize: number): PageElement => {
    const { box } = line('', 0.04);
    return { ...heading('Delivery note', 12), box, relativeSize } as PageElement;
  };
  const types = (relative: number) =>
    settlePages(scanned(...Array.from({ length: 5 }, () => [titled(relative)]))).map(
      ({ elements: [element] }) => element?.type,
    );
  assert.deepEqual(types(1.4), Array(5).fill('heading'));
  assert.deepEqual(types(1), Array(5).fill('paragraph'));
});

test('Arabic lines are read from the right, with uncertain words, punctuation and bullets', () => {
  const lines = [
    ['يسميها', 'أهلها', '«عروس', 'النهر»', 'منذ', 'عام', '1874.'],
    ['تقع', 'المكتبة,', 'قرب', 'الجسر', 'الكبير', 'أمام', 'البحر'],
    ['\u200F\u0660\u200E', 'الطوارئ'],
  ];
  const words = lines.flatMap((line, at) =>
    line.map((text, index): RecognisedWord => {
      const x1 = 1_400 - index * 150;
      const y1 = 200 + at * 60;
      return { text, x0: x1 - 130, x1, y0: y1 - 30, y1, confidence: text === 'الجسر' ? 22 : 90 };
    }),
  );
  const raster: PageRaster = {
    grey: new Uint8Array(1_600 * 500).fill(255),
    width: 1_600,
    height: 500,
    dpi: 200,
    turns: 0,
  };
  const { elements } = layOutWords(1, raster, words, undefined);
  assert.deepEqual(
    shown(elements).map(({ content }) => content),
    ['يسميها أهلها «عروس النهر» منذ عام 1874. تقع المكتبة، قرب الجسر الكبير أمام البحر', '- الطوارئ'],
  );
});

test('the size of words follows from the width of their letters', () => {
  const width = (text: string, size: number): number =>
    [...text].reduce((sum, letter) => sum + ('iltj'.includes(letter) ? 3 : 7) * size, 0);
  const word = (text: string, size = 1) => ({ text, x0: 0, x1: width(text, size) });
  const text = 'river bridge little harbour until winter island title village'.split(' ');
  const relative = learnLetterWidths(Array.from({ length: 20 }, () => text.map((one) => word(one))).flat());
  for (const size of [1, 1.2, 1.8]) {
    const found = relative([word('little', size), word('harbour', size)]) ?? 0;
    assert.ok(Math.abs(found - size) < 0.03 * size, `${found} for ${size}`);
  }
  assert.equal(relative([word('12')]), undefined);
});

/** Lines of words whose letters are not aligned vertically. */
function image(width: number, height: number) {
  const grey = new Uint8Array(width * height).fill(255);
  for (let top = 40; top < height - 40; top += 36)
    for (let x = 40; x < width - 40; x++)
      if ((x + top * 37) % 90 < 70 && (x + top * 5) % 11 < 7)
        for (let y = top; y < top + 20; y++) grey[y * width + x] = 0;
  return { width, height, grey, dpi: 200, turns: 0 as const };
}

test('images with vertical lines are detected and rotated back', () => {
  const upright = image(800, 640);
  assert.equal(runsSideways(upright), false);
  for (const by of [1, 3] as const) {
    const turned = turnBack(upright, by);
    assert.deepEqual([turned.width, turned.height, turned.turns], [640, 800, by]);
    assert.equal(runsSideways(turned), true);
    const back = turnBack(turned, by === 1 ? 3 : 1);
    assert.deepEqual(back, upright);
  }
  assert.deepEqual(turnBack(turnBack(upright, 1), 1), turnBack(upright, 2));
});

test('only a page that yields little sense is tried in other turns, by its most inked part', async () => {
  const raster = image(400, 400);
  const word = (confidence: number): RecognisedWord => ({
    text: 'riverbank',
    x0: 0,
    y0: 0,
    x1: 9,
    y1: 9,
    confidence,
  });
  const recognised = async (...confidences: [number, number, number, number]) => {
    const asked: string[] = [];
    const result = await recogniseUpright(raster, async ({ turns, width, height }) => {
      asked.push(`${width === height ? 'page' : 'part'} ${turns}`);
      return [word(confidences[turns])];
    });
    return { asked, turns: result.raster.turns };
  };
  assert.deepEqual(await recognised(90, 0, 95, 0), { asked: ['page 0'], turns: 0 });
  assert.deepEqual(await recognised(30, 0, 92, 0), { asked: ['page 0', 'part 2', 'page 2'], turns: 2 });
  const all = ['page 0', 'part 2', 'part 1', 'part 3'];
  assert.deepEqual(await recognised(40, 38, 35, 90), { asked: [...all, 'page 3'], turns: 3 });
  assert.deepEqual(await recognised(40, 38, 35, 30), { asked: all, turns: 0 });
});

test('a page of a few letters that was turned is also read as it is shown', async () => {
  const readAt = async (confidences: Record<number, number>) => {
    const { raster } = await recogniseUpright({ ...image(400, 400), turns: 2 }, async ({ turns }) => [
      { text: 'Index', x0: 0, y0: 0, x1: 9, y1: 9, confidence: confidences[turns] ?? 0 },
    ]);
    return raster.turns;
  };
  assert.equal(await readAt({ 0: 96, 2: 70 }), 0);
  assert.equal(await readAt({ 0: 40, 2: 95 }), 2);
});

test('pale print on grey, noisy paper becomes dark on white, and a clear page is left alone', () => {
  const page = image(800, 640);
  assert.equal(evenContrast(page), page);
  const noise = (at: number): number => ((at * 7_919) % 17) - 8;
  const grey = page.grey.map((level, at) => 170 + (level / 255) * 60 + noise(at));
  const { grey: even } = evenContrast({ ...page, grey });
  const mean = (isInk: boolean): number => {
    const levels = even.filter((_, at) => (page.grey[at] === 0) === isInk);
    return levels.reduce((sum, level) => sum + level, 0) / levels.length;
  };
  assert.ok(mean(true) < 60 && mean(false) > 245, `${mean(true)} on ${mean(false)}`);
});

test('noise alone on grey paper does not become print', () => {
  const grey = Uint8Array.from({ length: 400 * 400 }, (_, at) => 225 + ((at * 7_919) % 17) - 8);
  const { grey: even } = evenContrast({ grey, width: 400, height: 400 });
  assert.equal(even.filter((level) => level < 128).length, 0);
});

test('the most inked part is the strip with the most text, among all pages', () => {
  const [blank, text] = [image(400, 400), image(400, 400)];
  blank.grey.fill(255);
  text.grey.fill(255, 0, 400 * 250);
  const part = mostInkedPart([blank, text]);
  assert.deepEqual([part?.width, part?.height], [400, 100]);
  assert.ok(part?.grey.some((level) => level === 0));
  assert.equal(mostInkedPart([blank]), undefined);
});

/** A blank page of 200 dpi. */
const blank = (): PageRaster => ({
  grey: new Uint8Array(1600 * 2000).fill(250),
  width: 1600,
  height: 2000,
  dpi: 200,
  turns: 0,
});

test('the lines of a table on a scan part its cells, though they are faint, interrupted and not quite level', () => {
  const raster = blank();
  const draw = (x: number, y: number, down: boolean) => {
    for (let at = 0; at < (down ? 240 : 900); at++) {
      if (at % 97 < 8) continue;
      const [column, row] = down ? [x - Math.floor(at / 90), y + at] : [x + at, y + Math.floor(at / 300)];
      for (const shift of [0, 1]) raster.grey[row * 1600 + column + (down ? shift : shift * 1600)] = 140;
    }
  };
  for (const y of [300, 380, 460, 540]) draw(200, y, false);
  for (const x of [200, 500, 800, 1100]) draw(x, 300, true);
  const cells = [
    ['Berth', 'Width of the quay', 'Ship'],
    ['North pier', 'forty metres', 'Aurora'],
    ['South pier', 'twelve metres', 'Borealis'],
  ];
  const words = cells.flatMap((row, y) => {
    // What is in the second cell ends close to the third.
    const lefts = [210, 790 - 15 * (row[1]?.length ?? 0), 812];
    return row.flatMap((cell, x) => words15(cell, lefts[x] ?? 0, 325 + 80 * y));
  });
  const [table] = layOutWords(1, raster, words, undefined).elements;
  assert.deepEqual(table?.type === 'table' && table.rows, cells);
  const { elements } = layOutWords(1, blank(), words, undefined);
  assert.ok(!elements.some((one) => one.type === 'table' && one.rows.every(({ length }) => length === 3)));
});

test('recognised lines of letters that are equally wide are a listing, with its indents', () => {
  const narrow = (text: string, x: number, y: number) =>
    words15(text, x, y, (letter) => (/[ijlt. ]/.test(letter) ? 6 : /[mw]/.test(letter) ? 21 : 14));
  const listing = [
    'for (const ship of fleet) {',
    '  ship.sail(wind, tide);',
    '  await harbour.leave(ship);',
    '}',
  ];
  const prose = [
    'The little villa will still be filled until autumn,',
    'while many women swim in warm mountain lakes.',
  ];
  const words = [
    ...prose.flatMap((text, at) => narrow(text, 200, 200 + 34 * at)),
    ...listing.flatMap((text, at) => words15(text, 200, 320 + 34 * at)),
    ...prose.flatMap((text, at) => narrow(text, 200, 520 + 34 * at)),
  ];
  const { elements } = layOutWords(1, blank(), words, undefined);
  assert.deepEqual(
    elements.map((element) => [element.type, element.type === 'code' && element.content]),
    [
      ['paragraph', false],
      ['code', listing.join('\n')],
      ['paragraph', false],
    ],
  );
});

/** The words of a line, by default in letters that take fifteen pixels each. */
function words15(text: string, left: number, y: number, widthOf: (letter: string) => number = () => 15) {
  const words: RecognisedWord[] = [];
  let x = left;
  for (const part of text.split(/(?<= )|(?= )/)) {
    const width = [...part].reduce((sum, letter) => sum + widthOf(letter), 0);
    const [margin, end] = [/^[.,;:(){}]/.test(part) ? 5 : 2, /[.,;:(){}]$/.test(part) ? 5 : 2];
    if (part.trim() !== '')
      words.push({
        text: part,
        confidence: 95,
        x0: x + margin,
        x1: x + width - end,
        y0: y,
        y1: y + 23,
        block: 1,
      });
    x += width;
  }
  return words;
}
