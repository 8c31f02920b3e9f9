import { OPS, Util } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { joinStrokes } from '../layout/drawings.ts';
import type { Box } from '../layout/geometry.ts';
import type { PdfPage } from './open-pdf.ts';
import type { FontLook } from './page-runs.ts';

export interface PageGraphics {
  rules: Box[];
  images: Box[];
  drawings: Box[];
}

type Matrix = number[];

/** Thicker fills are areas, whose edges count as lines. */
const THIN = 3;
const MOST_RULES = 20_000;
const MOST_STROKES = 5_000;
/** Path operators as the engine encodes them; each is followed by its coordinates. */
const PATH = { moveTo: 0, lineTo: 1, curveTo: 2, quadraticTo: 3, close: 4 } as const;
const STROKES = new Set<number>([
  OPS.stroke,
  OPS.closeStroke,
  OPS.fillStroke,
  OPS.eoFillStroke,
  OPS.closeFillStroke,
  OPS.closeEOFillStroke,
]);
const FILLS = new Set<number>([
  OPS.fill,
  OPS.eoFill,
  OPS.fillStroke,
  OPS.eoFillStroke,
  OPS.closeFillStroke,
  OPS.closeEOFillStroke,
]);
const IMAGES = new Set<number>([
  OPS.paintImageXObject,
  OPS.paintInlineImageXObject,
  OPS.paintImageMaskXObject,
]);

/**
 * Lines and images that a page draws, upright, and the styles of its fonts, which the engine only provides for pages
 * that it prepared to draw.
 */
export async function readGraphics(page: PdfPage, fonts: Map<string, FontLook>): Promise<PageGraphics> {
  const { fnArray, argsArray } = await page.getOperatorList({ annotationMode: 0 });
  const graphics: PageGraphics = { rules: [], images: [], drawings: [] };
  const strokes: Box[] = [];
  const start = page.getViewport({ scale: 1 }).transform;
  let matrix = start;
  let white = false;
  const stack: { matrix: Matrix; white: boolean }[] = [];
  const save = (): void => void stack.push({ matrix, white });
  const restore = (): void => {
    ({ matrix, white } = stack.pop() ?? { matrix: start, white: false });
  };
  for (const [index, operator] of fnArray.entries()) {
    const args = argsArray[index] as unknown[] | null;
    if (operator === OPS.save) save();
    else if (operator === OPS.restore) restore();
    else if (operator === OPS.transform) matrix = Util.transform(matrix, args ?? []) as Matrix;
    else if (operator === OPS.paintFormXObjectBegin) {
      save();
      if (args?.[0]) matrix = Util.transform(matrix, [...(args[0] as Iterable<number>)]) as Matrix;
    } else if (operator === OPS.paintFormXObjectEnd) restore();
    else if (operator === OPS.setFillRGBColor) white = /^#f{6}$/i.test(String(args?.[0]));
    else if (operator === OPS.constructPath) {
      const [paint, [path], extent] = args as [number, [Float32Array | null], ArrayLike<number> | null];
      if (path && extent) {
        addPath(graphics.rules, { paint, path, extent, matrix, white });
        const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = Array.from(extent);
        const isPainted = STROKES.has(paint) || (FILLS.has(paint) && !white);
        if (isPainted && strokes.length < MOST_STROKES && isSlanting(path))
          strokes.push(boxOf(matrix, x0, y0, x1, y1));
      }
    } else if (IMAGES.has(operator)) graphics.images.push(boxOf(matrix, 0, 0, 1, 1));
    else if (operator === OPS.paintImageXObjectRepeat) {
      const [, scaleX, scaleY, positions] = args as [string, number, number, ArrayLike<number>];
      for (let at = 0; at + 1 < positions.length; at += 2) {
        const [x = 0, y = 0] = [positions[at], positions[at + 1]];
        graphics.images.push(boxOf(matrix, x, y, x + scaleX, y + scaleY));
      }
    } else if (operator === OPS.setFont) learnFont(page, String(args?.[0]), fonts);
  }
  return { ...graphics, drawings: joinStrokes(strokes, page.getViewport({ scale: 1 })) };
}

function learnFont(page: PdfPage, name: string, fonts: Map<string, FontLook>): void {
  if (fonts.has(name) || !page.commonObjs.has(name)) return;
  const font = page.commonObjs.get(name) as {
    name?: string;
    bold?: boolean;
    black?: boolean;
    italic?: boolean;
  };
  const family = font.name ?? '';
  fonts.set(name, {
    bold:
      font.bold === true || font.black === true || /bold|black|heavy|semibold|demi|CMBX|\bbd\b/i.test(family),
    italic: font.italic === true || /ital|obli|CMTI/i.test(family),
  });
}

interface PaintedPath {
  paint: number;
  path: Float32Array;
  extent: ArrayLike<number>;
  matrix: Matrix;
  white: boolean;
}

function addPath(rules: Box[], { paint, path, extent, matrix, white }: PaintedPath): void {
  if (rules.length >= MOST_RULES) return;
  if (FILLS.has(paint) && !white && isRectangular(path)) {
    const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = Array.from(extent);
    const box = boxOf(matrix, x0, y0, x1, y1);
    if (box.x1 - box.x0 <= THIN || box.y1 - box.y0 <= THIN) rules.push(box);
    else
      rules.push(
        { ...box, y1: box.y0 },
        { ...box, y0: box.y1 },
        { ...box, x1: box.x0 },
        { ...box, x0: box.x1 },
      );
  }
  if (!STROKES.has(paint)) return;
  let [startX, startY, x, y] = [0, 0, 0, 0];
  const lineTo = (toX: number, toY: number): void => {
    const box = boxOf(matrix, Math.min(x, toX), Math.min(y, toY), Math.max(x, toX), Math.max(y, toY));
    if (box.x1 - box.x0 <= 1 || box.y1 - box.y0 <= 1) rules.push(box);
    [x, y] = [toX, toY];
  };
  for (let at = 0; at < path.length;) {
    const operator = path[at];
    const numbers =
      operator === PATH.curveTo ? 6 : operator === PATH.quadraticTo ? 4 : operator === PATH.close ? 0 : 2;
    const [toX = 0, toY = 0] = [path[at + numbers - 1], path[at + numbers]];
    if (operator === PATH.close) lineTo(startX, startY);
    else if (operator === PATH.lineTo) lineTo(toX, toY);
    else [x, y] = [toX, toY];
    if (operator === PATH.moveTo) [startX, startY] = [toX, toY];
    at += numbers + 1;
  }
}

/** Has curves, or lines that are neither horizontal nor vertical, so it is no part of a table. */
const isSlanting = (path: Float32Array): boolean => !hasOnly(path, (offAxis) => !(offAxis > 1));

/** Made of horizontal and vertical lines only, so that its bounding box describes it. */
function isRectangular(path: Float32Array): boolean {
  let corners = 0;
  const isOutline = hasOnly(path, (offAxis, isMove) => {
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
function hasOnly(path: Float32Array, test: (offAxis: number, isMove: boolean) => boolean): boolean {
  let [x, y] = [NaN, NaN];
  for (let at = 0; at < path.length;) {
    const operator = path[at];
    if (operator === PATH.close) {
      at += 1;
      continue;
    }
    const isMove = operator === PATH.moveTo;
    if (!isMove && operator !== PATH.lineTo) return false;
    const [toX = 0, toY = 0] = [path[at + 1], path[at + 2]];
    if (!test(isMove ? 0 : Math.min(Math.abs(toX - x), Math.abs(toY - y)), isMove)) return false;
    [x, y] = [toX, toY];
    at += 3;
  }
  return true;
}

function boxOf(matrix: Matrix, x0: number, y0: number, x1: number, y1: number): Box {
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = matrix;
  const xs = [x0, x1].flatMap((x) => [y0, y1].map((y) => a * x + c * y + e));
  const ys = [x0, x1].flatMap((x) => [y0, y1].map((y) => b * x + d * y + f));
  return { x0: Math.min(...xs), y0: Math.min(...ys), x1: Math.max(...xs), y1: Math.max(...ys) };
}
