import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  headingLevel,
  headingTiers,
  isHeading,
  numberDepth,
  type HeadingStyle,
} from '../../../packages/reader/src/layout/headings.ts';
import { layOutPage } from '../../../packages/reader/src/layout/lay-out-page.ts';
import type { OutlineTitle, Run } from '../../../packages/reader/src/layout/page-parts.ts';
import { bodyStyle } from '../../../packages/reader/src/layout/profile.ts';
import { outerRows, runningBands } from '../../../packages/reader/src/layout/running-bands.ts';
import { toSegments } from '../../../packages/reader/src/layout/segments.ts';
import { pageOf, run } from '../../support/text-runs.ts';
import { shown } from '../../support/elements.ts';

const BODY = { size: 10, bold: false };
const style = (size: number, look: Partial<HeadingStyle> = {}): HeadingStyle => ({
  size,
  bold: false,
  capitals: false,
  depth: 0,
  ...look,
});

test('a heading differs from the text by more than its capitals', () => {
  const cases: [text: string, look: Parameters<typeof isHeading>[1], heading: boolean][] = [
    ['Early Results', style(10, { bold: true }), true],
    ['early results', style(10, { bold: true }), false],
    ['Figure 3: Early results', style(10, { bold: true }), false],
    ['Table II', style(10, { bold: true }), false],
    ['20 April 1999', style(10, { bold: true }), false],
    ['x = λy', style(10, { bold: true }), false],
    ['WNOHANG ()', style(10, { bold: true }), false],
    ['CHAPTER', style(14, { bold: true }), false],
    ['EARLY RESULTS', { ...style(10, { capitals: true }), gap: 2 }, true],
    ['EARLY RESULTS', { ...style(10, { capitals: true }), gap: 1.2 }, false],
    ['RESULTS', { ...style(10, { capitals: true }), gap: 2 }, false],
    ['REFERENCES', { ...style(10, { capitals: true }), gap: 2 }, true],
    ['Early results', { ...style(10), italic: true, gap: 2 }, true],
    ['Early results, by A. Name', { ...style(10), italic: true, gap: 2 }, false],
    ['A. Early results', { ...style(10, { depth: 1 }), italic: true, gap: 2 }, true],
    ['3.1 Early results', { ...style(10, { depth: 2 }), gap: 2 }, true],
    ['3.1 Early results', { ...style(10, { depth: 2 }), gap: 1.2 }, false],
    ['3 Early results of 1999', { ...style(10, { depth: 1 }), italic: true, gap: 2 }, true],
    ['شكل ٣: النتائج', style(14), false],
    ['Рис. 3. Результаты', style(14), false],
    ['Early results', { ...style(11), gap: 2 }, true],
    ['set larger within a paragraph', { ...style(11), gap: 1.2 }, false],
    ['int main', { ...style(14), monospaced: true }, false],
  ];
  for (const [text, look, heading] of cases) assert.equal(isHeading(text, look, BODY, 1), heading, text);
});

test('dates and initials are no numbers of sections', () => {
  for (const text of ['20 April 1999', 'W. N. Venables']) assert.equal(numberDepth(text), 0, text);
  for (const text of ['§2. Style', 'A. Style', 'Annexe B Style', '٣ النتائج', 'الفصل ٣', 'Глава 3'])
    assert.equal(numberDepth(text), 1, text);
});

test('levels are those of the outline, below the title', () => {
  const seen = [
    style(24, { bold: true }),
    style(17, { bold: true, depth: 1, outline: 1 }),
    style(14, { bold: true, depth: 2, outline: 2 }),
    style(12, { bold: true, depth: 3, outline: 3 }),
    style(10, { bold: true }),
  ];
  const tiers = headingTiers(seen, 0.03);
  assert.deepEqual(
    seen.map((one) => headingLevel(one, tiers)),
    [1, 2, 3, 4, 5],
  );
  assert.equal(headingLevel(style(14, { bold: true }), tiers), 3);
  assert.equal(headingLevel(style(8, { outline: 2 }), tiers), 3);
});

test('without an outline, levels are those of the numbers if larger headings have fewer parts', () => {
  const seen = [
    style(14, { bold: true, depth: 1 }),
    style(12, { bold: true, depth: 2 }),
    style(12, { depth: 2 }),
    style(11, { bold: true, depth: 3 }),
    style(10, { bold: true }),
  ];
  const levels = (styles: readonly HeadingStyle[]) => {
    const tiers = headingTiers(styles, 0.03);
    return styles.map((one) => headingLevel(one, tiers));
  };
  assert.deepEqual(levels(seen), [1, 2, 2, 3, 4]);
  assert.deepEqual(levels([style(18), ...seen]), [1, 2, 3, 3, 4, 5]);
  assert.deepEqual(levels([style(18), style(14), style(11, { bold: true })]), [1, 2, 3]);
});

test('a style of much text is none of headings, and listings are no text', () => {
  assert.deepEqual(
    bodyStyle(
      new Map([
        ['9|0|1', 6000],
        ['10|0|0', 3000],
        ['14|1|0', 50],
      ]),
    ),
    { size: 10, bold: false },
  );
  assert.deepEqual(
    bodyStyle(
      new Map([
        ['9|0|0', 6000],
        ['11|0|0', 3000],
      ]),
    ),
    { size: 9, bold: false, largest: 11 },
  );
  assert.equal(bodyStyle(new Map([['9|0|1', 6000]])).monospaced, true);
});

const TEXT = 'The text of the section goes on and on over the whole width of its page';
const read = (runs: readonly Run[], outline: readonly OutlineTitle[] = []): string[] =>
  shown(layOutPage(pageOf(runs, { outline }), { pageNumber: 2 })).map(
    ({ type, content, metadata }) => `${type}${String(metadata['level'] ?? '')}: ${content}`,
  );
const paragraph = (baseline: number): Run[] =>
  [0, 12, 24].map((below) => run(TEXT, 60, baseline + below, {}));

test('titles of the outline are found whatever they look like, with or without their numbers', () => {
  const cases: [lines: string[], title: string, heading: string][] = [
    [['print'], 'print', 'print'],
    [['4.2 A ligature: ﬁnd'], 'A ligature: find', '4.2 A ligature: find'],
    [['Of ships and of the sea'], '7. Of ships and of the sea', 'Of ships and of the sea'],
    [['Of ships that are built to man-', 'age the sea'], 'Of ships that are built to manage the sea', ''],
  ];
  for (const [lines, text, heading] of cases) {
    const title = lines.map((line, at) => run(line, 60, 130 + at * 12));
    const found = read([...paragraph(80), ...title, ...paragraph(170)], [{ text, level: 2 }]);
    assert.equal(found[1], `heading2: ${heading || text}`);
    assert.equal(found.length, 3);
  }
});

test('a running title that repeats a title is not found in its place', () => {
  const found = read(
    [run('Of ships', 60, 40), run('Of ships', 60, 80, { size: 14, bold: true }), ...paragraph(120)],
    [{ text: 'Of ships', level: 1 }],
  );
  assert.deepEqual(
    found.filter((element) => element.startsWith('heading')),
    ['heading1: Of ships'],
  );
});

test('a line of contents that repeats a title is not found in its place', () => {
  const found = read(
    [run('Of ships', 60, 60), ...paragraph(100), run('Of ships', 60, 160, { bold: true }), ...paragraph(190)],
    [{ text: 'Of ships', level: 1 }],
  );
  assert.deepEqual(
    found.map((element) => element.split(':')[0]),
    ['paragraph', 'paragraph', 'heading1', 'paragraph'],
  );
});

test('a title runs into its paragraph if the outline or its number says so', () => {
  const runIn = (title: string): Run[] => {
    const first = run(title, 60, 100, { bold: true });
    return [first, { ...run(TEXT, first.x1 + 8, 100), spaceBefore: true }, run(TEXT, 60, 112)];
  };
  assert.match(read(runIn('Bezier'))[0] ?? '', /^paragraph: Bezier The text/);
  assert.equal(read(runIn('Bezier'), [{ text: 'Bezier', level: 3 }])[0], 'heading3: Bezier');
  assert.match(read(runIn('3.1.2 Bezier.'))[0] ?? '', /^heading\d: 3\.1\.2 Bezier\.$/);
});

test('words set like code stay in a title', () => {
  const first = run('1.9 Migration from', 60, 100, { size: 12, bold: true });
  const code = { ...run('ledmac', first.x1 + 4, 100, { size: 12 }), monospaced: true, spaceBefore: true };
  const found = read([first, code, ...paragraph(130)]);
  assert.match(found[0] ?? '', /^heading\d: 1\.9 Migration from ledmac$/);
});

test('a title that is set or numbered like one is parted from the text right below it', () => {
  const below = (title: Run): string | undefined => read([...paragraph(80), title, ...paragraph(134)])[1];
  const italic = { ...run('Care in winter', 60, 120), italic: true };
  assert.match(below(italic) ?? '', /^heading\d: Care in winter$/);
  assert.match(below(run('CARE IN WINTER', 60, 120)) ?? '', /^heading\d: CARE IN WINTER$/);
  assert.match(below(run('3.1 Care in winter', 60, 120)) ?? '', /^heading\d: 3\.1 Care in winter$/);
  assert.match(below(run('Care in winter', 60, 120)) ?? '', /^paragraph: Care in winter The text/);
  assert.match(below({ ...italic, x0: 110, x1: 180 }) ?? '', /^paragraph: Care in winter/);
});

test('small capitals are as large as the first letters of their words', () => {
  const words = ['I.', 'C', 'ARE', 'I', 'N', 'W', 'INTER'].reduce((runs: Run[], text, at) => {
    const before = runs.at(-1);
    const size = at > 0 && at % 2 === 0 ? 8 : 10;
    const x = before ? before.x1 + (size === 10 ? 4 : 0) : 200;
    return [...runs, { ...run(text, x, 120, { size }), spaceBefore: size === 10 && at > 0 }];
  }, []);
  const found = read([...paragraph(80), ...words, ...paragraph(140)]);
  assert.match(found[1] ?? '', /^heading\d: I\. CARE IN WINTER$/);
});

test('the number of a line from right to left comes before its sign', () => {
  const title = { ...run('התקנת המשאבה', 300, 100, { bold: true }), rightToLeft: true };
  const number = run('.1', title.x1 + 4, 100, { bold: true });
  assert.equal(toSegments([title, number])[0]?.text, '1. התקנת המשאבה');
});

test('the number of a chapter joins its title', () => {
  const found = read([
    run('Chapter 3', 60, 80, { size: 14, bold: true }),
    run('Of ships', 60, 120, { size: 20, bold: true }),
    ...paragraph(160),
  ]);
  assert.match(found[0] ?? '', /^heading\d: Chapter 3 Of ships$/);
});

test('bold lines of contents and items of lists are no headings', () => {
  const contents = read([
    ...[1, 2, 3, 4].map((at) => run(`${at}.1 Of ships . . . . . . . . ${at}`, 60, 100 + at * 14)),
    run('5 The sea 9', 60, 180, { bold: true }),
  ]);
  assert.ok(!contents.some((element) => element.startsWith('heading')), contents.join('\n'));
  const plain = read([
    run('Contents', 60, 80, { size: 14, bold: true }),
    ...[3, 4, 9].flatMap((page, at) => [
      run(`${at + 1} Of ships`, 60, 120 + at * 40, { bold: true }),
      run(String(page), 400, 120 + at * 40, { bold: true }),
      run(`${at + 1}.1 The sea`, 70, 140 + at * 40),
      run(String(page), 400, 140 + at * 40),
    ]),
  ]);
  assert.deepEqual(
    plain.filter((element) => element.startsWith('heading')),
    ['heading1: Contents'],
  );
  const numbered = read([
    ...paragraph(60),
    ...['2.1 Of ships', '2.1.1 Of sails', '2.2 The sea', '3.1 Of harbours'].map((text, at) =>
      run(text, 60, 120 + at * 20),
    ),
  ]);
  assert.deepEqual(
    numbered.filter((element) => element.startsWith('heading')),
    [],
  );
  const items = read([
    run('6. Blank lines', 60, 100),
    run('7. White space', 60, 120, { bold: true }),
    run('8. Classes', 60, 140),
  ]);
  assert.ok(!items.some((element) => element.startsWith('heading')), items.join('\n'));
});

test('below the title of the first page, names and dates are no headings', () => {
  const found = layOutPage(
    pageOf([
      run('Of ships and the sea', 60, 80, { size: 20 }),
      run('Anna Berg and Ole Lund', 60, 110, { size: 12 }),
      run('May 2022', 60, 130, { size: 12 }),
      run('Abstract', 60, 160, { size: 12, bold: true }),
      ...paragraph(190),
    ]),
  );
  assert.deepEqual(
    found.filter((element) => element.type === 'heading').map(({ content }) => content),
    ['Of ships and the sea', 'Abstract'],
  );
});

test('rows at one height that count the pages, or repeat what is near, are running lines', () => {
  const bands = (tops: readonly string[], look: Parameters<typeof run>[3] = {}) => {
    const pages = tops.map((top, at) => {
      const { runs, height } = pageOf([run(top, 60, 45, look), ...paragraph(90), ...paragraph(140)]);
      return outerRows(toSegments(runs), BODY, { number: at + 1, height });
    });
    return runningBands(pages).length;
  };
  const titles = ['Ships', 'Seas', 'Winds', 'Stars', 'Ports', 'Ropes'];
  assert.equal(bands(titles.map((title, at) => `2.${at} ${title} ${at + 3}`)), 1);
  assert.equal(bands(['Ships', 'Ships', 'Seas', 'Seas', 'Winds', 'Winds']), 1);
  assert.equal(bands(titles), 0);
  assert.equal(
    bands(
      titles.map((title, at) => `${title} ${at + 3}`),
      { size: 14 },
    ),
    0,
  );
});
