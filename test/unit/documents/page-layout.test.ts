import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { arrangeLines } from '../../../packages/reader/src/ocr-layout/arrange-lines.ts';
import {
  layoutProblems,
  LINE_ROLES,
  type LaidOutElement,
  type TextLine,
  type PageLines,
  ELEMENT_TYPES,
} from 'darkroom-reader/document';
import { shown } from '../../support/elements.ts';

const PLAIN = { role: null, starts: [], rows: [], box: null } as const;
const element = (
  type: LaidOutElement['type'],
  lines: number[],
  more: Partial<LaidOutElement> = {},
): LaidOutElement => ({ ...PLAIN, type, lines, ...more });

/** Lines of 200 points, each 20 points below the previous one unless a place is given. */
function page(...texts: (string | [text: string, at: Partial<TextLine>])[]): PageLines {
  const lines = texts.map((given, at): TextLine => {
    const [text, more] = typeof given === 'string' ? [given, {}] : given;
    const y = 40 + at * 20;
    const place = { x0: 50, x1: 250, y0: y, y1: y + 10, baseline: y + 9 };
    return { text, ...place, size: 10, bold: false, rightToLeft: false, ...more };
  });
  return { turns: 0, width: 600, height: 800, lines };
}

const problemsOf = (of: PageLines, ...elements: LaidOutElement[]) => layoutProblems(elements, of.lines);
const arranged = (of: PageLines, ...elements: LaidOutElement[]) => {
  assert.deepEqual(problemsOf(of, ...elements), []);
  return shown(arrangeLines(of, elements, null));
};
const contents = (of: PageLines, ...elements: LaidOutElement[]) =>
  arranged(of, ...elements).map(({ type, content }) => `${type}: ${content}`);

describe('the layout of a page by a model', () => {
  const six = page('Alpha one', 'Beta two', 'Gamma three', 'Delta four', 'Epsilon five', 'Zeta six');
  const rest = (from: number) => element('paragraph', [1, 2, 3, 4, 5, 6].slice(from));
  const problems: Record<string, [elements: LaidOutElement[], problem: RegExp]> = {
    'a line that does not exist': [
      [element('paragraph', [1, 2, 3, 4, 5, 6, 7])],
      /^elements\.0\.lines: .* 7$/,
    ],
    'a fractional line number': [
      [element('heading', [1.5]), rest(0)],
      /^elements\.0\.lines: there is no line 1\.5$/,
    ],
    'a line twice in one element': [[element('list', [1, 1]), rest(1)], /^elements\.0\.lines: 1 already/],
    'a line in two elements': [[element('heading', [1]), rest(0)], /^elements\.1\.lines: 1 already belong/],
    'half of the lines missing': [[rest(3)], /^elements: no element has the lines 1, 2, 3$/],
    nothing: [[], /no element has the lines 1, 2, 3, 4, 5, 6$/],
    'an item that starts at a line of another element': [
      [element('list', [1], { starts: [2] }), rest(1)],
      /^elements\.0\.starts: 2 are none of its lines$/,
    ],
    'a table without cells': [[element('table', [1, 2]), rest(2)], /^elements\.0\.rows: a table needs/],
    'a table with an additional word': [
      [element('table', [1, 2], { rows: [['Alpha one'], ['Beta two 2']] }), rest(2)],
      /^elements\.0\.rows: words are not those of its lines: "2"$/,
    ],
    'a table with a missing word': [
      [element('table', [1, 2], { rows: [['Alpha'], ['Beta two']] }), rest(2)],
      /^elements\.0\.rows: words of its lines are missing: "one"$/,
    ],
    'a table with a corrected word': [
      [element('table', [1, 2], { rows: [['Alpha 1'], ['Beta two']] }), rest(2)],
      /missing: "one"/,
    ],
    'a pair without a value': [
      [element('key_value', [1], { rows: [['Alpha one']] }), rest(1)],
      /^elements\.0\.rows: a key_value has one row of two cells/,
    ],
    'a figure without a place': [[element('figure', []), rest(0)], /^elements\.0\.box: a figure needs/],
  };
  for (const [name, [elements, problem]] of Object.entries(problems)) {
    test(`rejects ${name}`, () => {
      assert.match(layoutProblems(elements, six.lines)[0] ?? '', problem);
    });
  }

  test('orders and groups lines and keeps their words', () => {
    assert.deepEqual(
      contents(six, element('heading', [5]), element('paragraph', [4, 1]), element('paragraph', [2, 3, 6])),
      [
        'heading: Epsilon five',
        'paragraph: Delta four Alpha one',
        'paragraph: Beta two Gamma three Zeta six',
      ],
    );
  });

  test('keeps a forgotten line as a paragraph, after the line above it in its column', () => {
    const left = { x0: 50, x1: 250 };
    const right = { x0: 350, x1: 550 };
    const row = (y: number) => ({ y0: y, y1: y + 10, baseline: y + 9 });
    const columns = page(
      ['left one', { ...left, ...row(40) }],
      ['right one', { ...right, ...row(40) }],
      ['left two', { ...left, ...row(60) }],
      ['right two', { ...right, ...row(60) }],
      ['left three', { ...left, ...row(80) }],
      ['right three', { ...right, ...row(80) }],
    );
    assert.deepEqual(contents(columns, element('paragraph', [1, 3]), element('paragraph', [2, 4, 6])), [
      'paragraph: left one left two',
      'paragraph: left three',
      'paragraph: right one right two right three',
    ]);
    assert.deepEqual(contents(columns, element('paragraph', [3, 5]), element('paragraph', [2, 4, 6])), [
      'paragraph: left one',
      'paragraph: left two left three',
      'paragraph: right one right two right three',
    ]);
  });

  test('makes tables, pairs and lists from the words of lines', () => {
    const mixed = page('Part Ware-', 'house', 'Pump 4', 'Date: 3 May', '• first item', 'goes on', '• second');
    assert.deepEqual(
      contents(
        mixed,
        element('table', [1, 2, 3], {
          rows: [
            ['Part', 'Warehouse'],
            ['Pump', '4'],
          ],
        }),
        element('key_value', [4], { rows: [['Date', '3 May']] }),
        element('list', [5, 6, 7]),
      ),
      [
        'table: | Part | Warehouse |\n| --- | --- |\n| Pump | 4 |',
        'key_value: Date: 3 May',
        'list: - first item goes on\n- second',
      ],
    );
    const listing = arranged(
      page(['if (dark)', { x0: 60, x1: 114 }], ['light();', { x0: 72, x1: 120 }]),
      element('code', [1, 2]),
    );
    assert.deepEqual(
      listing.map(({ type, content, metadata }) => [type, content, metadata]),
      [['code', 'if (dark)\n  light();', { lines: 2 }]],
    );
    const unmarked = page('first item', 'goes on', 'second');
    assert.deepEqual(contents(unmarked, element('list', [1, 2, 3], { starts: [1, 3] })), [
      'list: - first item goes on\n- second',
    ]);
  });

  test('gives headings the size of their lines, and running lines and notes their role', () => {
    const book = page(
      'Annual report',
      ['The bridge', { size: 18 }],
      'It is green and was painted long ago.',
      '1 See below.',
    );
    const [header, heading, text, note] = arranged(
      book,
      element('heading', [1], { role: 'page_header' }),
      element('heading', [2]),
      element('paragraph', [3]),
      element('paragraph', [4], { role: 'footnote' }),
    );
    assert.deepEqual([header?.type, header?.metadata], ['paragraph', { role: 'page_header' }]);
    assert.deepEqual(
      [heading?.type, heading?.metadata],
      ['heading', { level: 1, font_size: 18, relative_size: 1.8 }],
    );
    assert.deepEqual([text?.metadata, note?.metadata], [{}, { role: 'footnote' }]);
  });

  test('places figures on the image and all elements on the page as displayed', () => {
    const upsideDown: PageLines = { ...page('Figure 1. A bridge.'), turns: 2 };
    const box = { x: 0.1, y: 0.25, w: 0.5, h: 0.25 };
    const [figure] = arranged(upsideDown, element('figure', [1], { box }));
    // With its caption above, from 40 of 800 points.
    assert.deepEqual(
      [figure?.content, figure?.box],
      ['Figure 1. A bridge.', { x: 0.4, y: 0.5, w: 0.5167, h: 0.45 }],
    );
  });

  test('uses every line exactly once or reports a problem', () => {
    const COUNT = 8;
    const texts = Array.from({ length: COUNT }, (_, at) => `word${at + 1}a word${at + 1}b`);
    const of = page(...texts);
    const words = texts.flatMap((text) => text.split(' ')).toSorted();
    const number = fc.oneof({ weight: 20, arbitrary: fc.integer({ min: 1, max: COUNT }) }, fc.integer());
    const lines = fc.oneof(fc.uniqueArray(number, { maxLength: 4 }), fc.array(number, { maxLength: 4 }));
    const arbitrary = fc
      .record({
        type: fc.constantFrom(...ELEMENT_TYPES),
        role: fc.constantFrom(null, null, ...LINE_ROLES),
        lines,
        starts: fc.oneof(fc.constant<number[]>([]), lines),
        rows: fc.array(fc.array(fc.constantFrom(...words), { maxLength: 3 }), { maxLength: 3 }),
        box: fc.constantFrom(null, { x: 0.2, y: 0.3, w: 0.1, h: 0.1 }),
        honest: fc.boolean(),
      })
      .map(({ honest, ...given }): LaidOutElement => {
        if (!honest) return given;
        const own = given.lines.map((line) => [texts[line - 1] ?? '']);
        const rows = given.type === 'key_value' ? [['', own.flat().join(' ')]] : own;
        return { ...given, starts: given.starts.filter((line) => given.lines.includes(line)), rows };
      });
    /** Layouts that are nearly valid, as arbitrary ones would mostly be rejected. */
    const nearly = fc
      .tuple(
        fc.shuffledSubarray(
          texts.map((_, at) => at + 1),
          { minLength: COUNT - 1 },
        ),
        fc.infiniteStream(arbitrary),
      )
      .map(([order, kinds]) => {
        const elements: LaidOutElement[] = [];
        for (let at = 0; at < order.length;) {
          const { value: kind } = kinds.next();
          const own = order.slice(at, at + Math.max(1, kind.lines.length));
          at += own.length;
          const cells = own.map((line) => texts[line - 1] ?? '');
          const rows = kind.type === 'key_value' ? [['', cells.join(' ')]] : cells.map((cell) => [cell]);
          elements.push({ ...kind, lines: own, starts: own.slice(0, 1), rows });
        }
        return elements;
      });
    let kept = 0;
    fc.assert(
      fc.property(fc.oneof(fc.array(arbitrary, { maxLength: 8 }), nearly), (elements) => {
        if (layoutProblems(elements, of.lines).length > 0) return;
        kept += 1;
        const found = shown(arrangeLines(of, elements, null)).flatMap(
          ({ content }) => content.match(/word\d+[ab]/g) ?? [],
        );
        assert.deepEqual(found.toSorted(), words);
      }),
      { numRuns: 500 },
    );
    assert.ok(kept > 100, `only ${kept} layouts without a problem`);
  });
});
