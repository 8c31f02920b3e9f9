import {
  areaOf,
  boxAround,
  heightOf,
  overlapArea,
  overlapX,
  overlapY,
  widthOf,
  type Box,
} from './geometry.ts';
import type { PageParts } from './page-parts.ts';

/** Prefixes of figure captions. */
export const CAPTIONED =
  /^(?:figure|fig\.|chart|image|photo|picture|plate|diagram|illustration|exhibit|scheme|map|abbildung|abb\.|bild|figura|imagen|immagine|рис\.|الشكل|شكل|איור)\s*[\dA-Z]*/iu;
/** Smaller images are ornaments. */
const SMALLEST_SIDE = 24;
/** An image that covers a larger share is the page itself: a scan under its text, a background. */
const WHOLE_PAGE = 0.85;
/** Maximum gap between strips of one image. */
const TOUCH = 2;

/**
 * The images of a page that are figures; an image drawn in strips is one.
 *
 * @param drawings that are figures, too
 */
export function figureBoxes({ images, width, height }: PageParts, drawings: readonly Box[]): Box[] {
  const page = { x0: 0, y0: 0, x1: width, y1: height };
  const inside = [...images, ...drawings].map((box) => ({
    x0: Math.max(0, box.x0),
    y0: Math.max(0, box.y0),
    x1: Math.min(width, box.x1),
    y1: Math.min(height, box.y1),
  }));
  return joinTouching(inside.filter((box) => areaOf(box) > 0)).filter(
    (box) =>
      widthOf(box) >= SMALLEST_SIDE &&
      heightOf(box) >= SMALLEST_SIDE &&
      areaOf(box) < WHOLE_PAGE * areaOf(page),
  );
}

function joinTouching(boxes: readonly Box[]): Box[] {
  const joined: Box[] = [];
  for (let box of boxes.toSorted((a, b) => a.y0 - b.y0)) {
    for (let index = joined.length - 1; index >= 0; index--) {
      const other = joined[index];
      if (!other || !isStrip(box, other)) continue;
      box = boxAround([box, other]);
      joined.splice(index, 1);
    }
    joined.push(box);
  }
  return joined;
}

function isStrip(one: Box, other: Box): boolean {
  if (overlapArea(one, other) > 0.5 * Math.min(areaOf(one), areaOf(other))) return true;
  const stacked =
    overlapY(one, other) > -TOUCH && overlapX(one, other) > 0.95 * Math.max(widthOf(one), widthOf(other));
  const beside =
    overlapX(one, other) > -TOUCH && overlapY(one, other) > 0.95 * Math.max(heightOf(one), heightOf(other));
  return stacked || beside;
}
