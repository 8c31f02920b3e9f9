import type { PageBox } from '../../../domain/documents/page.ts';
import type { Box } from './geometry.ts';

/** A box relative to its page, cut to it, in ten-thousandths. */
export function relativeBox(box: Box, { width, height }: { width: number; height: number }): PageBox {
  const part = (value: number, side: number): number =>
    Math.round(Math.min(1, Math.max(0, value / side)) * 10_000) / 10_000;
  const [x, y] = [part(box.x0, width), part(box.y0, height)];
  const [right, bottom] = [part(box.x1, width), part(box.y1, height)];
  const span = (from: number, to: number): number => Math.round((to - from) * 10_000) / 10_000;
  return { x, y, w: span(x, right), h: span(y, bottom) };
}
