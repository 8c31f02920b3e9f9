/** Widths in which pages are drawn, in pixels: a request gets the next one, so that a page has few pictures. */
export const PAGE_WIDTHS = [320, 640, 960, 1280, 1920] as const;
export const DEFAULT_PAGE_WIDTH = 960;
export const MAX_PAGE_WIDTH = 1920;
/** A long page is drawn up to this height, in widths of the picture. */
export const PAGE_HEIGHTS = 3;

/** The width in which a page is drawn for a request. */
export function pageWidth(requested: number): number {
  return PAGE_WIDTHS.find((width) => width >= requested) ?? MAX_PAGE_WIDTH;
}
