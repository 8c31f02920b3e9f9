/** Lines that are drawn on a page, such as those of its tables, from its image. */
import type { Box } from '../layout/geometry.ts';
import type { PageRaster } from '../opened-document.ts';

type Grey = Pick<PageRaster, 'grey' | 'width' | 'height'>;

/** Pixels along a line that are judged as one: their mean evens the noise of a scan out. */
const STEP = 8;
/** Within so many pixels of a line, on both sides, the paper is lighter by so many levels. */
const NEAR = 5;
const DARKER = 36;
/** Shorter ones are strokes of letters, in inches; words end before. */
const SHORTEST = 0.35;
/** Steps that a line may miss, where the scan is faint or another line crosses it. */
const MOST_MISSED = 2;
/** The share of the steps of a line that it is seen in. */
const LEAST_SEEN = 0.8;

/** Level and upright ones, in pixels, from end to end and as thin as one. */
export function rulesOfRaster(raster: PageRaster): Box[] {
  const least = SHORTEST * raster.dpi;
  const upright = transposed(raster);
  return [
    ...levelLines(raster, least),
    ...levelLines(upright, least).map(({ x0, y0, x1, y1 }) => ({ x0: y0, y0: x0, x1: y1, y1: x1 })),
  ];
}

interface Trace {
  from: number;
  to: number;
  /** The row of the latest step, and the sum of all. */
  y: number;
  sum: number;
  seen: number;
}

/** Follows dark ridges from left to right, a row up or down at each step: a page is not quite level. */
function levelLines(raster: Grey, least: number): Box[] {
  const { height } = raster;
  const steps = Math.floor(raster.width / STEP);
  const means = meansOf(raster, steps);
  const latest = new Map<number, Trace>();
  const found: Box[] = [];
  const end = ({ from, to, sum, seen }: Trace): void => {
    const [x0, x1, y] = [from * STEP, (to + 1) * STEP, sum / seen];
    if (x1 - x0 >= least && seen >= (to - from + 1) * LEAST_SEEN) found.push({ x0, y0: y, x1, y1: y + 1 });
  };
  for (let step = 0; step < steps; step++) {
    // A halftone has a million short ones.
    for (const [row, trace] of latest) {
      if (goesOn(trace, step)) continue;
      latest.delete(row);
      end(trace);
    }
    for (const y of ridgesIn(means.subarray(step * height, (step + 1) * height))) {
      const trace = [y, y - 1, y + 1].map((row) => latest.get(row)).find((one) => one && goesOn(one, step));
      if (trace) {
        latest.delete(trace.y);
        Object.assign(trace, { to: step, y, sum: trace.sum + y, seen: trace.seen + 1 });
        latest.set(y, trace);
      } else latest.set(y, { from: step, to: step, y, sum: y, seen: 1 });
    }
  }
  for (const trace of latest.values()) end(trace);
  return found;
}

/** Whether a line may be seen again at a step, and was not yet. */
const goesOn = ({ to }: Trace, step: number): boolean => to < step && step - to <= MOST_MISSED + 1;

/** The mean of each row of each step, step by step. */
function meansOf({ grey, width, height }: Grey, steps: number): Uint8Array {
  const means = new Uint8Array(steps * height);
  for (let y = 0; y < height; y++) {
    for (let step = 0; step < steps; step++) {
      let sum = 0;
      const start = y * width + step * STEP;
      for (let at = start; at < start + STEP; at++) sum += grey[at] ?? 255;
      means[step * height + y] = sum / STEP;
    }
  }
  return means;
}

/** Rows of a step that are darker than those near them on both sides, the darkest one of each ridge. */
function ridgesIn(column: Uint8Array): number[] {
  const ridges: number[] = [];
  for (let y = NEAR; y < column.length - NEAR; y++) {
    const value = column[y] ?? 255;
    if (value >= (column[y - 1] ?? 255) || value > (column[y + 1] ?? 255)) continue;
    const [above, below] = [lightest(column, y - NEAR, y), lightest(column, y + 1, y + 1 + NEAR)];
    if (Math.min(above, below) - value >= DARKER) ridges.push(y);
  }
  return ridges;
}

function lightest(column: Uint8Array, from: number, to: number): number {
  let most = 0;
  for (let y = from; y < to; y++) most = Math.max(most, column[y] ?? 0);
  return most;
}

function transposed({ grey, width, height }: Grey): Grey {
  const turned = new Uint8Array(grey.length);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) turned[x * height + y] = grey[y * width + x] ?? 255;
  return { grey: turned, width: height, height: width };
}
