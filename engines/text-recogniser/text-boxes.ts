/** A rectangle around a line of text, turned by an angle; in pixels. */
export interface TextBox {
  /** Its middle. */
  x: number;
  y: number;
  /** Along the text. */
  width: number;
  height: number;
  /** Of the direction of reading, clockwise in radians. */
  angle: number;
  /** Whether it is so much higher than wide that its text runs up or down. */
  upended: boolean;
}

interface Point {
  x: number;
  y: number;
}

/** Minimum probability of a pixel of text, and mean probability of a box. */
const PIXEL = 0.3;
const BOX = 0.5;
const FEWEST_PIXELS = 10;
const LEAST_SIDE = 3;
/** The detector finds the core of a line; this ratio of area to circumference is added on each side. */
const GROWTH = 1.6;
const UPENDED = 1.5;

/**
 * The lines of text in a map of probabilities, as the differentiable binarisation of PP-OCR defines them: connected pixels,
 * the smallest rectangle around them, grown.
 *
 * @param probabilities row by row
 */
export function findTextBoxes(probabilities: Float32Array, width: number, height: number): TextBox[] {
  const seen = new Uint8Array(width * height);
  const stack = new Int32Array(width * height);
  const boxes: TextBox[] = [];
  for (let start = 0; start < seen.length; start++) {
    if (seen[start] || (probabilities[start] ?? 0) <= PIXEL) continue;
    const { rows, count, sum } = collect(start);
    if (count < FEWEST_PIXELS || sum / count < BOX) continue;
    const core = smallestRectangle(corners(rows));
    if (Math.min(core.width, core.height) < LEAST_SIDE) continue;
    const grown = (core.width * core.height * GROWTH) / (core.width + core.height);
    boxes.push({ ...core, width: core.width + grown, height: core.height + grown });
  }
  return boxes;

  /** The connected pixels around one: the first and the last of each row. */
  function collect(start: number) {
    const rows = new Map<number, { first: number; last: number }>();
    let [top, count, sum] = [0, 0, 0];
    stack[top++] = start;
    seen[start] = 1;
    while (top > 0) {
      const at = stack[--top] ?? 0;
      const x = at % width;
      const y = (at - x) / width;
      const row = rows.get(y);
      if (row === undefined) rows.set(y, { first: x, last: x });
      else if (x < row.first) row.first = x;
      else if (x > row.last) row.last = x;
      count += 1;
      sum += probabilities[at] ?? 0;
      for (let nextY = Math.max(0, y - 1); nextY <= Math.min(height - 1, y + 1); nextY++) {
        for (let nextX = Math.max(0, x - 1); nextX <= Math.min(width - 1, x + 1); nextX++) {
          const next = nextY * width + nextX;
          if (seen[next] || (probabilities[next] ?? 0) <= PIXEL) continue;
          seen[next] = 1;
          stack[top++] = next;
        }
      }
    }
    return { rows, count, sum };
  }
}

function corners(rows: ReadonlyMap<number, { first: number; last: number }>): Point[] {
  return Array.from(rows, ([y, { first, last }]) => [
    { x: first, y },
    { x: first, y: y + 1 },
    { x: last + 1, y },
    { x: last + 1, y: y + 1 },
  ]).flat();
}

/** By rotating calipers: one of its sides is on a side of the convex hull. */
function smallestRectangle(points: readonly Point[]): TextBox {
  const hull = convexHull(points);
  let best = { area: Infinity, x: 0, y: 0, width: 0, height: 0, angle: 0 };
  for (const [at, from] of hull.entries()) {
    const to = hull[(at + 1) % hull.length] ?? from;
    const angle = Math.atan2(to.y - from.y, to.x - from.x);
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
    for (const { x, y } of hull) {
      const [along, across] = [x * cos + y * sin, y * cos - x * sin];
      left = Math.min(left, along);
      right = Math.max(right, along);
      top = Math.min(top, across);
      bottom = Math.max(bottom, across);
    }
    const area = (right - left) * (bottom - top);
    if (area >= best.area) continue;
    const [along, across] = [(left + right) / 2, (top + bottom) / 2];
    const [x, y] = [along * cos - across * sin, along * sin + across * cos];
    best = { area, x, y, width: right - left, height: bottom - top, angle };
  }
  return inReadingDirection(best);
}

/** A rectangle has four angles: text runs nearest to the right, but along the longer side where that is much longer. */
function inReadingDirection({ x, y, ...box }: Omit<TextBox, 'upended'>): TextBox {
  const quarters = Math.round(box.angle / (Math.PI / 2));
  const angle = box.angle - quarters * (Math.PI / 2);
  const [width, height] = quarters % 2 === 0 ? [box.width, box.height] : [box.height, box.width];
  const upended = height >= width * UPENDED;
  return upended
    ? { x, y, width: height, height: width, angle: angle + Math.PI / 2, upended }
    : { x, y, width, height, angle, upended };
}

/** By Andrew's monotone chain. */
function convexHull(points: readonly Point[]): Point[] {
  const sorted = points.toSorted((a, b) => a.x - b.x || a.y - b.y);
  const half = (from: readonly Point[]): Point[] => {
    const chain: Point[] = [];
    for (const point of from) {
      for (;;) {
        const [before, last] = [chain.at(-2), chain.at(-1)];
        if (!before || !last || isLeftTurn(before, last, point)) break;
        chain.pop();
      }
      chain.push(point);
    }
    return chain.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.toReversed())];
}

function isLeftTurn(a: Point, b: Point, c: Point): boolean {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x) > 0;
}
