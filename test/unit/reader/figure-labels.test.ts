import assert from 'node:assert/strict';
import { test } from 'node:test';
import { layOutPage } from '../../../packages/reader/src/layout/lay-out-page.ts';
import type { Box } from '../../../packages/reader/src/layout/geometry.ts';
import { pageOf, run } from '../../support/text-runs.ts';
import { shown } from '../../support/elements.ts';

const CURVES: Box = { x0: 100, y0: 200, x1: 300, y1: 300 };
const AXES: Box[] = [
  { x0: 98, y0: 195, x1: 98, y1: 305 },
  { x0: 98, y0: 303, x1: 305, y1: 303 },
];
const PROSE = [
  'The captain reads the long report of the winter',
  'and the harbour is quiet as it was before.',
];
const CAPTION = 'Figure 3: The depth of the river by day';
const prose = (top: number) => PROSE.map((text, index) => run(text, 60, top + index * 12));
const small = (text: string, x: number, baseline: number) => run(text, x, baseline, { size: 8 });
const ticks = [small('0', 98, 313), small('5', 200, 313), small('10', 300, 313), small('4.5', 82, 250)];

test('numbers along the axes, their names and the legend are part of the figure', () => {
  const page = pageOf(
    [
      ...prose(100),
      ...ticks,
      small('Day of the year', 170, 324),
      run('low water', 220, 230),
      run(CAPTION, 110, 345),
      ...prose(380),
    ],
    { drawings: [CURVES], rules: AXES },
  );
  const [before, figure, after, ...others] = shown(layOutPage(page));
  assert.deepEqual(others, []);
  assert.equal(before?.content, PROSE.join(' '));
  assert.equal(figure?.type, 'figure');
  assert.equal(figure.content, `${CAPTION}\nlow water 4.5 0 5 10 Day of the year`);
  assert.equal(after?.content, PROSE.join(' '));
});

test('running text in a frame, and a large title over an image, are text', () => {
  const framed = pageOf([...prose(240), run(CAPTION, 60, 318)], {
    drawings: [{ x0: 50, y0: 220, x1: 400, y1: 300 }],
  });
  assert.ok(
    shown(layOutPage(framed)).some(
      ({ type, content }) => type !== 'figure' && content.includes(PROSE[0] ?? ''),
    ),
  );
  const title = run('A winter at sea', 120, 250, { size: 24, bold: true });
  const photo = pageOf([title, ...prose(400)], { images: [{ x0: 60, y0: 200, x1: 500, y1: 380 }] });
  assert.ok(
    shown(layOutPage(photo)).some(({ type, content }) => type !== 'figure' && content === title.text),
  );
});
