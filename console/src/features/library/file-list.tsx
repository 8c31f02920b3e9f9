import { defaultRangeExtractor, useWindowVirtualizer, type Range } from '@tanstack/react-virtual';
import { useCallback, useEffect, useRef, useState } from 'react';
import { ErrorNote } from '../../ui/page.tsx';
import { FileCard, FileRow, LIST_COLUMNS } from './file-cell.tsx';
import { PAGE, usePages, type FileEntry, type FilePage } from './file-pages.ts';
import { useGeometry, type View } from './list-geometry.ts';
import { useListInput } from './list-input.ts';
import { useLiveEntries } from './live-entries.ts';
import type { FileFilters } from './search-params.ts';
import type { Selection } from './selection.ts';
import { LIBRARY_TEXTS } from './texts.ts';

const texts = LIBRARY_TEXTS;
/** What may cover the list: on phones the navigation above, the selection bar below. */
const STICKY_PX = 64;
const BAR_PX = 88;
/** Which file had the tab stop of a list, for those who come back to it. */
const lastActive = new Map<string, number>();

export interface FileListProps {
  filters: FileFilters;
  first: FilePage;
  view: View;
  selection: Selection;
  isDraggable: boolean;
  onOpen: (entry: FileEntry) => void;
  onDelete?: () => void;
  /** Whether the beginning of the list is on the screen. */
  onAtTop: (isAtTop: boolean) => void;
}

/**
 * All files of a list in a grid of one tab stop, of which only those on the screen are in the page and in memory. Arrows
 * move, space selects, enter opens.
 */
export function FileList(props: FileListProps) {
  const { filters, first, view, selection, onAtTop } = props;
  const ref = useRef<HTMLDivElement>(null);
  const listKey = JSON.stringify(filters);
  const { columns, rowHeight, gap, most, top } = useGeometry(ref, view);
  const count = Math.min(first.total, most);
  const [active, setActive] = useState(() => lastActive.get(listKey) ?? 0);
  const tabStop = Math.max(0, Math.min(active, count - 1));
  const activeRow = Math.floor(tabStop / columns);
  const virtualizer = useWindowVirtualizer({
    count: Math.ceil(count / columns),
    estimateSize: () => rowHeight,
    gap,
    overscan: 3,
    scrollMargin: top,
    // The row of the tab stop stays in the page, so that the focus is not lost.
    rangeExtractor: useCallback(
      (range: Range) => [...new Set([...defaultRangeExtractor(range), activeRow])].toSorted((a, b) => a - b),
      [activeRow],
    ),
  });
  useEffect(() => virtualizer.measure(), [virtualizer, rowHeight]);

  // Not before the list is measured: its files would be rendered twice.
  const rows = top === 0 ? [] : virtualizer.getVirtualItems();
  const { startIndex = 0, endIndex = 0 } = virtualizer.range ?? {};
  const { pages, error, retry } = usePages(filters, {
    from: Math.max(0, startIndex - 3) * columns,
    to: Math.min(count - 1, (endIndex + 4) * columns),
  });
  const entryAt = (index: number) =>
    (index < PAGE ? first : pages.get(Math.floor(index / PAGE)))?.entries[index % PAGE];
  const visible = rows.flatMap((row) =>
    Array.from({ length: columns }, (_, column) => entryAt(row.index * columns + column) ?? []).flat(),
  );
  useLiveEntries(visible);
  const isAtTop = startIndex * columns < PAGE;
  useEffect(() => onAtTop(isAtTop), [isAtTop, onAtTop]);

  const input = useListInput({
    ...props,
    ref,
    count,
    columns,
    active: tabStop,
    entryAt,
    perScreen: Math.max(1, endIndex - startIndex) * columns,
    onActive: (index) => {
      lastActive.set(listKey, index);
      setActive(index);
    },
    scrollTo: (index) => {
      const start = top + Math.floor(index / columns) * (rowHeight + gap);
      const [lowest, highest] = [start + rowHeight + BAR_PX - innerHeight, start - STICKY_PX];
      window.scrollTo({ top: Math.min(Math.max(scrollY, lowest), highest) });
    },
  });
  const File = view === 'list' ? FileRow : FileCard;
  return (
    <>
      <div
        ref={ref}
        role="grid"
        aria-label={texts.files}
        aria-multiselectable
        aria-rowcount={Math.ceil(count / columns) + (view === 'list' ? 1 : 0)}
        aria-colcount={view === 'list' ? 5 : columns}
        {...input}
      >
        {view === 'list' && <Heads />}
        <div role="presentation" className="relative" style={{ height: virtualizer.getTotalSize() }}>
          {rows.map((row) => {
            const start = row.index * columns;
            const files = Array.from({ length: Math.min(columns, count - start) }, (_, column) => {
              const entry = entryAt(start + column);
              return (
                <File
                  key={start + column}
                  entry={entry}
                  index={start + column}
                  columns={columns}
                  isSelected={entry !== undefined && selection.ids.has(entry.id)}
                  isTabStop={start + column === tabStop}
                  isDraggable={props.isDraggable}
                />
              );
            });
            return (
              <div
                key={row.index}
                {...(view === 'list'
                  ? { role: 'presentation' }
                  : { role: 'row', 'aria-rowindex': row.index + 1 })}
                className="absolute inset-x-0 grid"
                style={{
                  top: row.start - top,
                  height: rowHeight,
                  gap,
                  gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
                }}
              >
                {files}
              </div>
            );
          })}
        </div>
      </div>
      {first.total > most && <p className="text-center text-muted">{texts.tooMany(most)}</p>}
      {error !== null && <ErrorNote error={error} onRetry={retry} />}
    </>
  );
}

function Heads() {
  return (
    <div
      role="row"
      aria-rowindex={1}
      className={`${LIST_COLUMNS} gap-3 border-b border-line px-2 pb-2 text-sm font-medium text-muted max-md:sr-only`}
    >
      {texts.columns.map((name) => (
        <span key={name} role="columnheader">
          {name}
        </span>
      ))}
    </div>
  );
}
