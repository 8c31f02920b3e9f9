import { joinStrokes } from '../layout/drawings.ts';
import type { Box } from '../layout/geometry.ts';
import type { Matrix, PdfPage } from './open-pdf.ts';
import type { Pdfium } from './pdfium.ts';

export interface PageGraphics {
  rules: Box[];
  images: Box[];
  drawings: Box[];
}

/** Thicker fills are areas, whose edges count as lines. */
const THIN = 3;
const MOST_RULES = 20_000;
const MOST_STROKES = 5_000;
/** Clips of one object, and points of a clip; others are ignored. */
const MOST_CLIPS = 8;
const MOST_CLIP_POINTS = 500;
/** Kinds of objects, and of parts of paths, as the engine numbers them. */
export const OBJECT = { text: 1, path: 2, image: 3, form: 5 } as const;
const SEGMENT = { lineTo: 0, curveTo: 1, moveTo: 2 } as const;
/** A curve has three parts: two control points and its end. */
const POINTS_OF_CURVE = 3;
const WHITE = 255;

/** A part of a path in its own units. A curve is its end. */
interface Step {
  kind: number;
  x: number;
  y: number;
  /** Whether a line back to the last move follows. */
  closes: boolean;
}

/** Lines and images that a page draws, upright. @param hidden objects of the page that it does not show */
export function readGraphics(page: PdfPage, hidden: ReadonlySet<number>): PageGraphics {
  const { pdfium, handle, width, height } = page;
  const graphics: PageGraphics = { rules: [], images: [], drawings: [] };
  const strokes: Box[] = [];
  const visit = (object: number, outer: Matrix): void => {
    if (hidden.has(object)) return;
    const type = pdfium.FPDFPageObj_GetType(object);
    if (type === OBJECT.path) {
      const path = readPath(pdfium, object);
      if (!path) return;
      const matrix = matrixOf(pdfium, object, outer);
      const clip = (): Box | undefined => clipOf(pdfium, object, outer);
      addRules(graphics.rules, path, matrix, (box) => visibleArea(box, clip(), { width, height }));
      const isPainted = path.isStroked || !path.isWhite;
      if (isPainted && strokes.length < MOST_STROKES && isSlanting(path.steps))
        addVisible(strokes, boxOf(matrix, path.extent), clip());
    } else if (type === OBJECT.image) {
      const box = boxOf(matrixOf(pdfium, object, outer), { x0: 0, y0: 0, x1: 1, y1: 1 });
      addVisible(graphics.images, box, clipOf(pdfium, object, outer));
    }
    if (type === OBJECT.form) {
      const inner = matrixOf(pdfium, object, outer);
      const count = pdfium.FPDFFormObj_CountObjects(object);
      for (let index = 0; index < count; index++) visit(pdfium.FPDFFormObj_GetObject(object, index), inner);
    }
  };
  const count = pdfium.FPDFPage_CountObjects(handle);
  for (let index = 0; index < count; index++) visit(pdfium.FPDFPage_GetObject(handle, index), page.matrix);
  return { ...graphics, drawings: joinStrokes(strokes, { width, height }) };
}

function matrixOf(pdfium: Pdfium, object: number, [a, b, c, d, e, f]: Matrix): Matrix {
  pdfium.FPDFPageObj_GetMatrix(object, pdfium.at(0));
  const [g, h, i] = [pdfium.float(0), pdfium.float(1), pdfium.float(2)];
  const [j, k, l] = [pdfium.float(3), pdfium.float(4), pdfium.float(5)];
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f];
}

/** Adds the part of a box that is not clipped. */
function addVisible(boxes: Box[], box: Box, clip: Box | undefined): void {
  const visible = clip ? intersect(box, clip) : box;
  if (visible.x1 >= visible.x0 && visible.y1 >= visible.y0) boxes.push(visible);
}

/** What is seen of an area; nothing of the page's own, whose edges are no lines. */
function visibleArea(
  area: Box,
  clip: Box | undefined,
  { width, height }: Pick<PdfPage, 'width' | 'height'>,
): Box | undefined {
  const { x0, y0, x1, y1 } = clip ? intersect(area, clip) : area;
  const isWhole = x0 <= THIN && y0 <= THIN && x1 >= width - THIN && y1 >= height - THIN;
  return isWhole || x1 < x0 || y1 < y0 ? undefined : { x0, y0, x1, y1 };
}

const intersect = (one: Box, other: Box): Box => ({
  x0: Math.max(one.x0, other.x0),
  y0: Math.max(one.y0, other.y0),
  x1: Math.min(one.x1, other.x1),
  y1: Math.min(one.y1, other.y1),
});

/** The box of what an object may cover, if it is clipped. */
function clipOf(pdfium: Pdfium, object: number, outer: Matrix): Box | undefined {
  const clip = pdfium.FPDFPageObj_GetClipPath(object);
  const paths = clip === 0 ? 0 : Math.min(pdfium.FPDFClipPath_CountPaths(clip), MOST_CLIPS);
  let visible: Box | undefined;
  for (let path = 0; path < paths; path++) {
    const extent: Box = { x0: Infinity, y0: Infinity, x1: -Infinity, y1: -Infinity };
    const count = Math.min(pdfium.FPDFClipPath_CountPathSegments(clip, path), MOST_CLIP_POINTS);
    for (let index = 0; index < count; index++) {
      const segment = pdfium.FPDFClipPath_GetPathSegment(clip, path, index);
      pdfium.FPDFPathSegment_GetPoint(segment, pdfium.at(0), pdfium.at(1));
      include(extent, pdfium.float(0), pdfium.float(1));
    }
    if (count === 0 || count === MOST_CLIP_POINTS) continue;
    const box = boxOf(outer, extent);
    visible = visible ? intersect(visible, box) : box;
  }
  return visible;
}

function include(extent: Box, x: number, y: number): void {
  extent.x0 = Math.min(extent.x0, x);
  extent.y0 = Math.min(extent.y0, y);
  extent.x1 = Math.max(extent.x1, x);
  extent.y1 = Math.max(extent.y1, y);
}

interface PaintedPath {
  steps: readonly Step[];
  extent: Box;
  isFilled: boolean;
  isStroked: boolean;
  isWhite: boolean;
}

/** A path; undefined for one that only clips. */
function readPath(pdfium: Pdfium, object: number): PaintedPath | undefined {
  pdfium.FPDFPath_GetDrawMode(object, pdfium.at(0), pdfium.at(1));
  const [isFilled, isStroked] = [pdfium.int(0) !== 0, pdfium.int(1) !== 0];
  if (!isFilled && !isStroked) return undefined;
  pdfium.FPDFPageObj_GetFillColor(object, pdfium.at(0), pdfium.at(1), pdfium.at(2), pdfium.at(3));
  const isWhite = [0, 1, 2].every((channel) => pdfium.int(channel) === WHITE);
  const steps: Step[] = [];
  const extent: Box = { x0: Infinity, y0: Infinity, x1: -Infinity, y1: -Infinity };
  let ofCurve = 0;
  const count = pdfium.FPDFPath_CountSegments(object);
  for (let index = 0; index < count; index++) {
    const segment = pdfium.FPDFPath_GetPathSegment(object, index);
    pdfium.FPDFPathSegment_GetPoint(segment, pdfium.at(0), pdfium.at(1));
    const [x, y] = [pdfium.float(0), pdfium.float(1)];
    include(extent, x, y);
    const kind = pdfium.FPDFPathSegment_GetType(segment);
    ofCurve = kind === SEGMENT.curveTo ? (ofCurve + 1) % POINTS_OF_CURVE : 0;
    if (ofCurve === 0) steps.push({ kind, x, y, closes: pdfium.FPDFPathSegment_GetClose(segment) !== 0 });
  }
  return { steps, extent, isFilled, isStroked, isWhite };
}

function addRules(
  rules: Box[],
  path: PaintedPath,
  matrix: Matrix,
  visibleOf: (area: Box) => Box | undefined,
): void {
  if (rules.length >= MOST_RULES) return;
  const isArea = path.isFilled && !path.isWhite && isRectangular(path.steps);
  const box = isArea ? visibleOf(boxOf(matrix, path.extent)) : undefined;
  if (box) {
    if (box.x1 - box.x0 <= THIN || box.y1 - box.y0 <= THIN) rules.push(box);
    else
      rules.push(
        { ...box, y1: box.y0 },
        { ...box, y0: box.y1 },
        { ...box, x1: box.x0 },
        { ...box, x0: box.x1 },
      );
  }
  if (!path.isStroked) return;
  let [startX, startY, x, y] = [0, 0, 0, 0];
  const lineTo = (toX: number, toY: number): void => {
    const [x0, x1] = [Math.min(x, toX), Math.max(x, toX)];
    const box = boxOf(matrix, { x0, x1, y0: Math.min(y, toY), y1: Math.max(y, toY) });
    if (box.x1 - box.x0 <= 1 || box.y1 - box.y0 <= 1) rules.push(box);
  };
  for (const step of path.steps) {
    if (step.kind === SEGMENT.lineTo) lineTo(step.x, step.y);
    [x, y] = [step.x, step.y];
    if (step.kind === SEGMENT.moveTo) [startX, startY] = [x, y];
    if (!step.closes) continue;
    lineTo(startX, startY);
    [x, y] = [startX, startY];
  }
}

/** Has curves, or lines that are neither horizontal nor vertical, so it is no part of a table. */
const isSlanting = (steps: readonly Step[]): boolean => !hasOnly(steps, (offAxis) => !(offAxis > 1));

/** Made of horizontal and vertical lines only, so that its bounding box describes it. */
function isRectangular(steps: readonly Step[]): boolean {
  let corners = 0;
  const isOutline = hasOnly(steps, (offAxis, isMove) => {
    if (offAxis > 0.01 || (isMove && corners > 0)) return false;
    corners += 1;
    return true;
  });
  return isOutline && corners >= 4 && corners <= 5;
}

/**
 * Whether a path has no curves, and all of its moves and lines pass a test.
 *
 * @param test receives a line's deviation from the nearer axis; 0 for a move
 */
function hasOnly(steps: readonly Step[], test: (offAxis: number, isMove: boolean) => boolean): boolean {
  let [x, y] = [NaN, NaN];
  for (const step of steps) {
    const isMove = step.kind === SEGMENT.moveTo;
    if (!isMove && step.kind !== SEGMENT.lineTo) return false;
    if (!test(isMove ? 0 : Math.min(Math.abs(step.x - x), Math.abs(step.y - y)), isMove)) return false;
    [x, y] = [step.x, step.y];
  }
  return true;
}

function boxOf([a, b, c, d, e, f]: Matrix, { x0, y0, x1, y1 }: Box): Box {
  const xs = [x0, x1].flatMap((x) => [y0, y1].map((y) => a * x + c * y + e));
  const ys = [x0, x1].flatMap((x) => [y0, y1].map((y) => b * x + d * y + f));
  return { x0: Math.min(...xs), y0: Math.min(...ys), x1: Math.max(...xs), y1: Math.max(...ys) };
}
