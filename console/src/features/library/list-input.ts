import { useQueryClient } from '@tanstack/react-query';
import {
  useEffect,
  useRef,
  type DragEvent,
  type FocusEvent,
  type KeyboardEvent,
  type MouseEvent,
  type RefObject,
  type SyntheticEvent,
} from 'react';
import { notify, notifyError } from '../../ui/notices.tsx';
import { dragFiles } from './drag.ts';
import { PAGE, pageOptions, type FileEntry, type FilePage } from './file-pages.ts';
import type { FileFilters } from './search-params.ts';
import type { Selection } from './selection.ts';
import { LIBRARY_TEXTS } from './texts.ts';

/** The most files that one range selects. */
const LONGEST_RANGE = 5000;

interface Options {
  ref: RefObject<HTMLElement | null>;
  filters: FileFilters;
  count: number;
  columns: number;
  /** Number of files that a screen shows. */
  perScreen: number;
  /** The file with the tab stop. */
  active: number;
  onActive: (index: number) => void;
  scrollTo: (index: number) => void;
  entryAt: (index: number) => FileEntry | undefined;
  selection: Selection;
  onOpen: (entry: FileEntry) => void;
  onDelete?: () => void;
}

/** The handlers of keys, pointers and drags of a list of files. */
export function useListInput(options: Options) {
  const { ref, filters, count, columns, perScreen, active, onActive, scrollTo, entryAt, selection, onOpen } =
    options;
  const queries = useQueryClient();
  const isMoved = useRef(false);
  // The file that the keyboard went to may enter the page only by this rendering, or by the next.
  useEffect(() => {
    const target = isMoved.current && ref.current?.querySelector<HTMLElement>(`[data-index="${active}"]`);
    if (!target) return;
    isMoved.current = false;
    target.focus({ preventScroll: true });
  });

  const selectRange = async (to: number) => {
    const [from, until] = [Math.min(selection.anchor, to), Math.max(selection.anchor, to)];
    if (until - from >= LONGEST_RANGE) return notify(LIBRARY_TEXTS.rangeTooLong(LONGEST_RANGE), true);
    try {
      const found: string[] = [];
      for (let page = Math.floor(from / PAGE); page <= Math.floor(until / PAGE); page++) {
        // In order, so that each page follows the cursor of the one before.
        // oxlint-disable-next-line no-await-in-loop
        const { entries } = await queries.ensureQueryData(pageOptions(filters, page));
        const start = page * PAGE;
        found.push(...entries.slice(Math.max(0, from - start), until - start + 1).map(({ id }) => id));
      }
      selection.set(found);
    } catch (error) {
      notifyError(error);
    }
  };
  const selectLoaded = () => {
    const pages = queries.getQueriesData<FilePage>({ queryKey: ['files', 'list', filters] });
    selection.set(pages.flatMap(([, page]) => page?.entries.map(({ id }) => id) ?? []));
  };
  const go = (index: number, isRange: boolean) => {
    const next = Math.max(0, Math.min(count - 1, index));
    isMoved.current = true;
    onActive(next);
    scrollTo(next);
    if (isRange) void selectRange(next);
  };

  const steps: Record<string, () => number> = {
    ArrowLeft: () => active - 1,
    ArrowRight: () => active + 1,
    ArrowUp: () => (active < columns ? active : active - columns),
    ArrowDown: () => (active + columns < count ? active + columns : active),
    PageUp: () => active - perScreen,
    PageDown: () => active + perScreen,
    Home: () => 0,
    End: () => count - 1,
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const entry = entryAt(active);
    const step = steps[event.key];
    if (step) go(step(), event.shiftKey);
    else if (event.key === ' ' && entry) selection.toggle(entry.id, active);
    else if (event.key === 'Enter' && entry) onOpen(entry);
    else if (event.key === 'a' && (event.ctrlKey || event.metaKey)) selectLoaded();
    else if (event.key === 'Delete' && options.onDelete) {
      if (selection.ids.size === 0 && entry) selection.set([entry.id], active);
      options.onDelete();
    } else return;
    event.preventDefault();
  };

  const placeOf = (event: SyntheticEvent) => {
    const target = event.target as Element;
    const index = Number(target.closest<HTMLElement>('[data-index]')?.dataset['index'] ?? NaN);
    return { index, entry: entryAt(index), isCheck: target.closest('[data-check]') !== null };
  };
  const onClick = (event: MouseEvent) => {
    const { index, entry, isCheck } = placeOf(event);
    if (!entry || (event.target as Element).closest('a')) return;
    onActive(index);
    const isTouch = event.nativeEvent instanceof PointerEvent && event.nativeEvent.pointerType === 'touch';
    if (event.shiftKey) void selectRange(index);
    else if (isCheck || event.ctrlKey || event.metaKey) selection.toggle(entry.id, index);
    else if (!isTouch) selection.set([entry.id], index);
    else if (selection.ids.size > 0) selection.toggle(entry.id, index);
    else onOpen(entry);
  };
  const onDoubleClick = (event: MouseEvent) => {
    const { entry, isCheck } = placeOf(event);
    if (entry && !isCheck) onOpen(entry);
  };
  const onDragStart = (event: DragEvent) => {
    const { index, entry } = placeOf(event);
    if (!entry) return;
    const isPart = selection.ids.has(entry.id);
    if (!isPart) selection.set([entry.id], index);
    dragFiles(event, isPart ? [...selection.ids] : [entry.id]);
  };
  const onFocus = (event: FocusEvent) => {
    const { index } = placeOf(event);
    if (index >= 0) onActive(index);
  };
  return { onKeyDown, onFocus, onClick, onDoubleClick, onDragStart };
}
