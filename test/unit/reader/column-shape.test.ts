import assert from 'node:assert/strict';
import { test } from 'node:test';
import { areSetApart, haveEdge } from '../../../packages/reader/src/layout/column-shape.ts';
import type { Segment } from '../../../packages/reader/src/layout/page-parts.ts';
import { makeSegment } from '../../../packages/reader/src/layout/segments.ts';
import { run } from '../../support/text-runs.ts';

const at = (x: number, baseline: number): Segment => makeSegment([run('of the wide sea', x, baseline)]);
const lines = (edges: readonly number[]): Segment[] => edges.map((x, index) => at(x, 100 + index * 12));

const EDGES: readonly [what: string, edges: readonly number[], isEdge: boolean][] = [
  ['of a column', [200, 200, 200, 200], true],
  ['of a column with a paragraph that begins further in', [200, 215, 200, 200], true],
  [
    'of a long column with many short items',
    [...Array<number>(8).fill(200), 211, 224, 217, 231, 240, 246],
    true,
  ],
  ['of spaces in a justified paragraph', [200, 211, 206, 218], false],
  ['of spaces of which two are below each other', [200, 200, 206, 218, 224], false],
];
for (const [what, edges, isEdge] of EDGES)
  test(`an edge ${what} is ${isEdge ? '' : 'not '}that of columns`, () => {
    const before = edges.map((_, index) => 20 + ((index * 7) % 29));
    assert.equal(haveEdge(lines(before), lines(edges)), isEdge);
  });

const HEIGHTS: readonly [what: string, offsets: readonly number[], areApart: boolean][] = [
  ['rows of a table', [0, 0, 0, 0, 0, 0, 0, 0], false],
  ['rows whose second cell is a little lower', [1, 1, 1, 1, 1, 1, 1, 1], false],
  ['columns half a line apart', [5, 5, 5, 5, 5, 5, 5, 5], true],
  ['columns of which some lines are at one height by chance', [0, 0, 0, 0, 0, 4, 4, -4, 4, -4], true],
];
for (const [what, offsets, areApart] of HEIGHTS)
  test(`lines at the heights of ${what} are ${areApart ? '' : 'not '}set apart`, () => {
    const left = offsets.map((_, index) => at(20, 100 + index * 12));
    const right = offsets.map((offset, index) => at(200, 100 + index * 12 + offset));
    assert.equal(areSetApart(left, right), areApart);
  });
