import { Link } from '@tanstack/react-router';
import { Check, FileText, Film, Globe, Image as ImageIcon } from 'lucide-react';
import { memo, type ReactNode } from 'react';
import { formatBytes, formatDate, formatDuration } from '../../lib/format.ts';
import { TEXTS } from '../../texts.ts';
import { Picture } from '../../ui/picture.tsx';
import { StatusBadge, statusOf } from '../../ui/status.tsx';
import type { FileEntry } from './file-pages.ts';
import type { Medium } from './search-params.ts';
import { LIBRARY_TEXTS } from './texts.ts';

const ICONS = { image: ImageIcon, document: FileText, video: Film, link: Globe } as const satisfies Record<
  Medium,
  unknown
>;

export interface CellProps {
  entry: FileEntry | undefined;
  index: number;
  columns: number;
  isSelected: boolean;
  isTabStop: boolean;
  isDraggable: boolean;
}

/** What the handlers of the list read from an element: its place, and the part that was pressed. */
const common = ({ entry, index, isSelected, isTabStop, isDraggable }: CellProps) => ({
  'data-index': index,
  tabIndex: isTabStop ? 0 : -1,
  'aria-selected': isSelected,
  'aria-busy': entry === undefined || undefined,
  draggable: isDraggable && entry !== undefined,
});

/** A file in the grid. */
export const FileCard = memo(function FileCard(props: CellProps) {
  const { entry, index, columns, isSelected } = props;
  return (
    <div
      {...common(props)}
      role="gridcell"
      aria-colindex={(index % columns) + 1}
      className={`group relative flex flex-col overflow-hidden rounded-xl border bg-surface select-none ${isSelected ? 'border-accent ring-1 ring-accent' : 'border-line hover:border-strong-line'}`}
    >
      <div className="relative min-h-0 grow bg-sunken">
        {entry ? <Preview entry={entry} /> : <Loading />}
        {entry && <CheckMark isSelected={isSelected} className="absolute top-1 left-1" />}
        {entry && (
          <span className="absolute right-1.5 bottom-1.5 rounded-md bg-black/65 px-1.5 py-0.5 text-xs text-white">
            {labelOf(entry)}
          </span>
        )}
      </div>
      <div className="flex h-16 shrink-0 flex-col justify-center gap-0.5 px-2.5">
        {entry && <Title entry={entry} />}
        {entry && (
          <span className="flex min-w-0 items-center gap-2 text-xs text-muted">
            {entry.primary_status === 'completed' ? (
              <span className="truncate">{formatDate(entry.created_at)}</span>
            ) : (
              <StatusBadge status={statusOf(entry)} />
            )}
          </span>
        )}
      </div>
    </div>
  );
});

/** Widths of the columns of the list; phones show only the first. */
export const LIST_COLUMNS =
  'grid grid-cols-[minmax(0,1fr)_auto] md:grid-cols-[minmax(0,1fr)_5.5rem_5rem_6.5rem_7.5rem]';

/** A file in the list. */
export const FileRow = memo(function FileRow(props: CellProps) {
  const { entry, isSelected } = props;
  return (
    <div
      {...common(props)}
      role="row"
      aria-rowindex={props.index + 2}
      className={`group ${LIST_COLUMNS} h-full items-center gap-3 border-b border-line px-2 text-sm select-none -outline-offset-2 ${isSelected ? 'bg-accent-soft' : 'hover:bg-sunken'}`}
    >
      <Cell className="flex min-w-0 items-center gap-2.5">
        <span className="relative flex shrink-0 items-center gap-1.5">
          {entry && (
            <CheckMark isSelected={isSelected} className="absolute left-0.5 z-10 pointer-coarse:static" />
          )}
          <span className="block size-9 overflow-hidden rounded-md bg-sunken">
            {entry ? <Preview entry={entry} isSmall /> : <Loading />}
          </span>
        </span>
        {entry && <Title entry={entry} />}
      </Cell>
      <Cell className="max-md:hidden text-muted">{entry && typeOf(entry)}</Cell>
      <Cell className="max-md:hidden text-muted tabular-nums">{entry && formatBytes(entry.size_bytes)}</Cell>
      <Cell className="max-md:hidden text-muted">{entry && formatDate(entry.created_at)}</Cell>
      <Cell>{entry && <StatusBadge status={statusOf(entry)} />}</Cell>
    </div>
  );
});

function Cell({ children, className = '' }: { children: ReactNode; className?: string }) {
  return (
    <div role="gridcell" className={className}>
      {children}
    </div>
  );
}

/** The name; a link, so that it opens in another tab as any other. The list has the tab stop. */
function Title({ entry: { id, title } }: { entry: FileEntry }) {
  return (
    <Link
      to="/files/$fileId"
      params={{ fileId: id }}
      tabIndex={-1}
      draggable={false}
      title={title}
      className="min-w-0 truncate py-0.5 font-medium hover:underline"
    >
      {title}
    </Link>
  );
}

function Preview({ entry, isSmall = false }: { entry: FileEntry; isSmall?: boolean }) {
  const { thumbnail_url: src, blur_hash: blurHash, media_type: medium } = entry;
  const Icon = ICONS[medium];
  if (src ?? blurHash)
    return <Picture src={src} alt="" blurHash={blurHash} fit={medium === 'document' ? 'top' : 'cover'} />;
  if (entry.summary && !isSmall)
    return (
      <span className="absolute inset-0 overflow-hidden p-3 pl-10 text-xs text-muted">
        <Icon aria-hidden className="absolute top-3 left-3 size-4.5" />
        <span className="line-clamp-4 wrap-anywhere">{entry.summary}</span>
      </span>
    );
  return (
    <span className="flex size-full items-center justify-center text-muted">
      <Icon aria-hidden className={isSmall ? 'size-4.5' : 'size-9 stroke-[1.25]'} />
    </span>
  );
}

const Loading = () => <span className="block size-full animate-pulse bg-sunken" />;

/** For pointers only; the keyboard selects by the space bar. */
function CheckMark({ isSelected, className = '' }: { isSelected: boolean; className?: string }) {
  return (
    <span
      data-check
      aria-hidden
      className={`${className} flex size-8 shrink-0 cursor-pointer items-center justify-center ${isSelected ? '' : 'opacity-0 group-hover:opacity-100 group-focus-visible:opacity-100 pointer-coarse:opacity-100'}`}
    >
      <span
        className={`flex size-5 items-center justify-center rounded-full border ${isSelected ? 'border-accent bg-accent text-on-accent' : 'border-strong-line bg-surface'}`}
      >
        {isSelected && <Check className="size-3.5" strokeWidth={3} />}
      </span>
    </span>
  );
}

/** `PDF · 12 pages`, `MP4 · 0:42`, `example.com` */
function labelOf(entry: FileEntry): string {
  const { media_type: medium, page_count: pages, duration_seconds: seconds, domain } = entry;
  if (medium === 'link') return domain ?? TEXTS.media.link;
  const more = pages ? LIBRARY_TEXTS.pages(pages) : seconds ? formatDuration(seconds) : undefined;
  return [typeOf(entry), more].filter(Boolean).join(' · ');
}

const typeOf = ({ media_type: medium, format }: FileEntry): string =>
  medium === 'link' ? TEXTS.media.link : format.toUpperCase();
