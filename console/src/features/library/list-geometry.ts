import { useLayoutEffect, useState, type RefObject } from 'react';

/** Browsers give up on taller elements. */
const TALLEST_PX = 15_000_000;
const CAPTION_PX = 66;
const GAP_PX = 12;
const NARROWEST_PX = 160;
const ROW_PX = 52;

export type View = 'grid' | 'list';

export interface Geometry {
  columns: number;
  rowHeight: number;
  gap: number;
  /** Largest number of files that fit into the page. */
  most: number;
  /** Distance of the list from the top of the document, in pixels. */
  top: number;
}

/** Columns and row heights of a list in its present width. */
export function useGeometry(ref: RefObject<HTMLElement | null>, view: View): Geometry {
  const [{ width, top }, setBox] = useState({ width: 0, top: 0 });
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    const measure = () => {
      const box = element.getBoundingClientRect();
      const next = { width: box.width, top: Math.round(box.top + window.scrollY) };
      setBox((former) => (former.width === next.width && former.top === next.top ? former : next));
    };
    measure();
    // What stands above the list moves it without changing its size.
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [ref]);
  const columns = view === 'list' ? 1 : Math.max(2, Math.floor((width + GAP_PX) / (NARROWEST_PX + GAP_PX)));
  const cell = (width - (columns - 1) * GAP_PX) / columns;
  const rowHeight = view === 'list' ? ROW_PX : Math.round(cell * 0.75) + CAPTION_PX;
  const gap = view === 'list' ? 0 : GAP_PX;
  return { columns, rowHeight, gap, top, most: Math.floor(TALLEST_PX / (rowHeight + gap)) * columns };
}
