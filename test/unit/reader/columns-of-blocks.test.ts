import assert from 'node:assert/strict';
import { test } from 'node:test';
import { columnsOfBlocks } from '../../../packages/reader/src/ocr-layout/columns-of-blocks.ts';
import type { Run } from '../../../packages/reader/src/layout/page-parts.ts';

const SIZE = 10;
const WORDS = 'the river winds below many old bridges'.split(' ');

/** A block of lines of words, 12 units apart, that fill its width. */
interface Drawn {
  block: number;
  x: number;
  y: number;
  width: number;
  lines: number;
  /** Words of each line; their number decides whether it is prose. */
  words?: number;
  rightToLeft?: boolean;
}

const drawn = ({ block, x, y, width, lines, words = 6, rightToLeft = false }: Drawn): Run[] =>
  Array.from({ length: lines * words }, (_, at): Run => {
    const [line, place] = [Math.floor(at / words), at % words];
    const [x0, baseline] = [x + (place * width) / words, y + line * 12];
    return {
      text: WORDS[at % WORDS.length] ?? '',
      x0,
      x1: x0 + width / words - 3,
      y0: baseline - 7,
      y1: baseline,
      baseline,
      size: SIZE,
      bold: false,
      italic: false,
      rightToLeft,
      spaceBefore: true,
      block,
    };
  });

/** The blocks of each column. */
const columns = (...blocks: Drawn[]): string[] =>
  columnsOfBlocks(blocks.flatMap(drawn)).map((runs) =>
    [...new Set(runs.map(({ block }) => block))].join(' '),
  );
const left = { x: 0, y: 50, width: 200, lines: 8 };
const right = { x: 206, y: 50, width: 200, lines: 8 };
const third = { x: 412, y: 53, width: 200, lines: 8 };

test('blocks beside each other are columns, with a gutter of half a letter', () => {
  assert.deepEqual(columns({ ...left, block: 1 }, { ...right, block: 2 }), ['1', '2']);
  assert.deepEqual(columns({ ...third, block: 3 }, { ...right, block: 2 }, { ...left, block: 1 }), [
    '1',
    '2',
    '3',
  ]);
});

test('a page number in the gutter leaves the columns apart', () => {
  const number = { block: 3, x: 199, y: 170, width: 8, lines: 1, words: 1 };
  assert.deepEqual(columns({ ...left, lines: 10, block: 1 }, { ...right, block: 2 }, number), ['1 3', '2']);
});

test('a title above and a note below both columns divide them into bands', () => {
  const title = { block: 1, x: 20, y: 20, width: 370, lines: 1 };
  const note = { block: 4, x: 0, y: 180, width: 400, lines: 2 };
  assert.deepEqual(columns(title, { ...left, block: 2 }, { ...right, block: 3 }, note), ['1', '2', '3', '4']);
});

test('columns of Arabic are read from the right', () => {
  const rightToLeft = true;
  assert.deepEqual(columns({ ...left, block: 1, rightToLeft }, { ...right, block: 2, rightToLeft }), [
    '2',
    '1',
  ]);
});

test('cells of a table, pairs, and one column in several blocks are left to the rules', () => {
  const cells = { lines: 8, words: 1 };
  assert.deepEqual(columns({ ...left, ...cells, block: 1 }, { ...right, ...cells, block: 2 }), ['1 2']);
  assert.deepEqual(columns({ ...left, ...cells, block: 1 }, { ...right, block: 2 }), ['1 2']);
  assert.deepEqual(columns({ ...left, block: 1 }, { ...left, y: 200, block: 2 }), ['1 2']);
});

test('prose in rows that are far apart is a table if its rows continue on the other side', () => {
  const row = (at: number) => ({ y: 50 + at * 40, lines: 1 });
  const rows = [0, 1, 2, 3].flatMap((at) => [
    { ...left, ...row(at), block: 2 * at },
    { ...right, ...row(at), block: 2 * at + 1 },
  ]);
  assert.deepEqual(columns(...rows), ['0 1 2 3 4 5 6 7']);
});

test('words without blocks, as of other recognisers, are one column', () => {
  const runs = [left, right].flatMap((one) => drawn({ ...one, block: 0 }));
  for (const run of runs) delete run.block;
  assert.equal(columnsOfBlocks(runs).length, 1);
});

test('many blocks of noise are not compared with each other', () => {
  const blocks = Array.from({ length: 5_000 }, (_, at) => ({
    block: at,
    x: (at % 50) * 20,
    y: Math.floor(at / 50) * 20,
    width: 12,
    lines: 1,
    words: 1,
  }));
  assert.equal(columns(...blocks).length, 1);
});
