import { Util } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { Run } from '../layout/page-parts.ts';
import type { QuarterTurns } from '../layout/geometry.ts';
import type { PdfPage } from './open-pdf.ts';

/** The page's text, in the frame in which it is upright. */
export interface PageText {
  runs: readonly Run[];
  turns: QuarterTurns;
  width: number;
  height: number;
}

export interface FontLook {
  bold: boolean;
  italic: boolean;
}

type TextContent = Awaited<ReturnType<PdfPage['getTextContent']>>;
export type TextItem = Extract<TextContent['items'][number], { str: string }>;

const ASCENT = 0.78;
const DESCENT = 0.22;

export const isText = (item: TextContent['items'][number]): item is TextItem => 'str' in item;

/** Groups pieces of text by direction: a page has one, at times with a stamp in another. */
export function textByDirection(
  page: PdfPage,
  items: readonly TextItem[],
  fonts: ReadonlyMap<string, FontLook>,
): PageText[] {
  const { transform, width, height } = page.getViewport({ scale: 1 });
  const runs: [Run[], Run[], Run[], Run[]] = [[], [], [], []];
  let spaceBefore = false;
  for (const item of items) {
    if (item.str.trim() === '') {
      spaceBefore ||= item.str !== '' || item.hasEOL;
      continue;
    }
    const matrix = Util.transform(transform, item.transform) as number[];
    const [a = 0, b = 0, c = 0, d = 0, x = 0, y = 0] = matrix;
    const turns = (Math.round(Math.atan2(b, a) / (Math.PI / 2)) & 3) as QuarterTurns;
    const size = Math.hypot(c, d) || item.height;
    if (!(size > 0)) continue;
    const [left, baseline] = upright(turns, x, y, width, height);
    const look = fonts.get(item.fontName);
    runs[turns].push({
      text: item.str,
      x0: left,
      x1: left + item.width,
      y0: baseline - ASCENT * size,
      y1: baseline + DESCENT * size,
      baseline,
      size,
      bold: look?.bold ?? false,
      italic: look?.italic ?? false,
      rightToLeft: item.dir === 'rtl',
      spaceBefore: spaceBefore || item.str.startsWith(' '),
    });
    spaceBefore = item.hasEOL || item.str.endsWith(' ');
  }
  return runs.flatMap((some, turns) => {
    if (some.length === 0) return [];
    const sides = turns % 2 === 0 ? { width, height } : { width: height, height: width };
    return [{ runs: withoutDoubles(some), turns: turns as QuarterTurns, ...sides }];
  });
}

/** A point of a page in the frame in which text that was turned clockwise is upright. */
export function upright(
  turns: QuarterTurns,
  x: number,
  y: number,
  width: number,
  height: number,
): [x: number, y: number] {
  if (turns === 1) return [y, width - x];
  if (turns === 2) return [width - x, height - y];
  if (turns === 3) return [height - y, x];
  return [x, y];
}

/** Some programs draw text twice, slightly offset, to make it bold or to cast a shadow. */
function withoutDoubles(runs: readonly Run[]): Run[] {
  const seen = new Map<string, Run[]>();
  return runs.filter((run) => {
    const same = seen.get(run.text) ?? [];
    const apart = run.size * 0.2;
    if (
      same.some(
        (other) => Math.abs(other.x0 - run.x0) < apart && Math.abs(other.baseline - run.baseline) < apart,
      )
    )
      return false;
    seen.set(run.text, [...same, run]);
    return true;
  });
}
