/** The order in which the shapes of a slide are read. */

/** A shape with its place; a width or height of 0 is unknown. Units may be any. */
export interface Placed {
  x: number;
  y: number;
  width: number;
  height: number;
  isTitle: boolean;
}

/** Shapes whose tops are this close are in a row, as a share of the height that all shapes take. */
const SAME_TOP = 0.05;
/** In a column with a heading of its own, the lowest shape is this share of the highest. */
const HEADING = 0.5;

/**
 * The title first, then from top to bottom and left to right. Columns of which each begins with a low shape, its heading, are read one
 * after the other, as in slides that compare two things.
 *
 * @param isFromRight whether rows and columns begin at the right, as in Arabic and Hebrew
 */
export function inSlideOrder<T extends Placed>(shapes: readonly T[], isFromRight: boolean): T[] {
  if (isFromRight) {
    const mirrored = shapes.map((shape) => ({ ...shape, x: -shape.x - shape.width, shape }));
    return inSlideOrder(mirrored, false).map(({ shape }) => shape);
  }
  const [titles, others] = [true, false].map((isTitle) =>
    shapes.filter((shape) => shape.isTitle === isTitle),
  );
  const top = Math.min(...shapes.map(({ y }) => y));
  const bottom = Math.max(...shapes.map(({ y, height }) => y + height));
  return [...(titles ?? []), ...ordered(others ?? [], SAME_TOP * (bottom - top))];
}

/** Whether most letters of a slide are of scripts from right to left. */
export function isFromRight(text: string): boolean {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  return (text.match(/[\p{Script=Arabic}\p{Script=Hebrew}]/gu)?.length ?? 0) * 2 > letters;
}

function ordered<T extends Placed>(shapes: readonly T[], tolerance: number): T[] {
  const bands = parted(shapes, 'y', 'height');
  const [first, last] = [bands[0] ?? [], bands.at(-1) ?? []];
  // Lines above and below columns.
  if (bands.length > 1 && first.length === 1) return [...first, ...ordered(bands.slice(1).flat(), tolerance)];
  if (bands.length > 1 && last.length === 1)
    return [...ordered(bands.slice(0, -1).flat(), tolerance), ...last];
  const columns = parted(shapes, 'x', 'width');
  if (columns.length > 1 && columns.every(hasHeading)) return columns.flatMap((column) => byTop(column));
  if (bands.length > 1) return bands.flatMap((band) => ordered(band, tolerance));
  if (columns.length > 1 && columns.length < shapes.length)
    return columns.flatMap((column) => ordered(column, tolerance));
  const rows: T[][] = [];
  for (const shape of byTop(shapes)) {
    const row = rows.at(-1);
    if (row && shape.y - (row[0]?.y ?? 0) < tolerance) row.push(shape);
    else rows.push([shape]);
  }
  return rows.flatMap((row) => row.toSorted((a, b) => a.x - b.x));
}

const byTop = <T extends Placed>(shapes: readonly T[]): T[] =>
  shapes.toSorted((a, b) => a.y - b.y || a.x - b.x);

/** Groups of shapes with a strip between them that none crosses. */
function parted<T extends Placed>(shapes: readonly T[], from: 'x' | 'y', size: 'width' | 'height'): T[][] {
  const groups: T[][] = [];
  let end = -Infinity;
  for (const shape of shapes.toSorted((a, b) => a[from] - b[from])) {
    const last = groups.at(-1);
    // Shapes that touch, or overlap a little, are apart.
    if (last && shape[from] < end - shape[size] * SAME_TOP) last.push(shape);
    else groups.push([shape]);
    end = Math.max(end, shape[from] + Math.max(shape[size], Number.MIN_VALUE));
  }
  return groups;
}

function hasHeading(column: readonly Placed[]): boolean {
  const [first, ...below] = byTop(column);
  return (
    first !== undefined && below.some(({ height }) => first.height > 0 && first.height < height * HEADING)
  );
}
