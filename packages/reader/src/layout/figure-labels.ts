/** Charts and diagrams: their axes, and the words in and around them, which are no part of the text. */
import { boxAround, contains, overlapX, overlapY, type Box, widthOf, heightOf } from './geometry.ts';
import { CAPTIONED } from './figures.ts';
import type { Segment } from './page-parts.ts';

/** Axes and ticks are this near to the curves, in points. */
const TOUCH = 4;
/** An axis is at most this much longer than the drawing; longer lines belong to the page. */
const LONGEST = 1.6;
/** Labels are this near to their drawing, in heights of their font. */
const NEAR = 1.6;
/** Longer texts are not labels. */
const MOST_WORDS = 5;
const SMALLER = 0.93;
const LARGER = 1.2;
const NUMBER = /^[-–−+<>≤≥~]?[$€£]?\p{N}[\p{N}.,:/×^%°\s-]*(?:[%°]|\p{L}{1,3})?$/u;

/**
 * A drawing with the axes, frames and bars that touch it, and the labels around them.
 *
 * @param size of the page's text
 */
export function withAxesAndLabels(
  drawing: Box,
  rules: readonly Box[],
  segments: readonly Segment[],
  size: number,
): Box {
  const axes = rules.filter(
    (rule) =>
      overlapX(drawing, rule) > -TOUCH &&
      overlapY(drawing, rule) > -TOUCH &&
      widthOf(rule) < LONGEST * widthOf(drawing) &&
      heightOf(rule) < LONGEST * heightOf(drawing),
  );
  // The name of an axis is beyond the numbers along it.
  const numbered = withLabels(boxAround([drawing, ...axes]), segments, size);
  return withLabels(numbered, segments, size);
}

/** With the labels around it: numbers, and text smaller than that of the page. */
function withLabels(drawing: Box, segments: readonly Segment[], size: number): Box {
  const around = segments.filter(
    (segment) =>
      !isInside(segment, drawing) &&
      isBeside(segment, drawing) &&
      !CAPTIONED.test(segment.text) &&
      wordsOf(segment.text) <= MOST_WORDS &&
      (NUMBER.test(segment.text) || segment.size < size * SMALLER),
  );
  return boxAround([drawing, ...around]);
}

/**
 * The labels in a figure: short texts; none if it holds running text, as a frame does, or large text, as a background
 * does.
 *
 * @param size of the page's text
 */
export function labelsIn(figure: Box, segments: readonly Segment[], size: number): Segment[] {
  const inside = segments.filter((segment) => isInside(segment, figure));
  const others = inside.filter(
    ({ text, size: own }) => wordsOf(text) > MOST_WORDS || CAPTIONED.test(text) || own > size * LARGER,
  );
  return others.length * 4 > inside.length ? [] : inside;
}

const isInside = (segment: Segment, figure: Box): boolean =>
  contains(figure, (segment.x0 + segment.x1) / 2, (segment.y0 + segment.y1) / 2);

/** Next to an edge, and not past its ends. */
function isBeside(segment: Segment, figure: Box): boolean {
  const [x, y] = [overlapX(segment, figure), overlapY(segment, figure)];
  const least = -NEAR * segment.size;
  return x > least && y > least && (x > 0 || y > 0);
}

const wordsOf = (text: string): number => text.split(' ').length;
