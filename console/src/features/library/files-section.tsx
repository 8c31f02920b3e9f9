import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { ErrorNote, Skeleton } from '../../ui/page.tsx';
import { FileList } from './file-list.tsx';
import { useFirstPage } from './file-pages.ts';
import type { View } from './list-geometry.ts';
import type { FileFilters } from './search-params.ts';
import type { Selection } from './selection.ts';
import { LIBRARY_TEXTS } from './texts.ts';

const texts = LIBRARY_TEXTS;
/** The API counts the hits of a search up to here. */
const COUNTED = 10_000;

/** The number of files, and the files; `empty` stands where there are none, `children` below. */
export function FilesSection({
  filters,
  view,
  selection,
  isDraggable,
  onDelete,
  empty,
}: {
  filters: FileFilters;
  view: View;
  selection: Selection;
  isDraggable: boolean;
  onDelete?: () => void;
  empty: ReactNode;
}) {
  const navigate = useNavigate();
  const [isAtTop, setAtTop] = useState(true);
  const { data, error, isPlaceholderData, refetch } = useFirstPage(filters, isAtTop);
  if (error && !data) return <ErrorNote error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton lines={8} />;
  const isBounded = filters.search !== undefined && data.total >= COUNTED;
  return (
    <div className={`flex flex-col gap-3 transition-opacity ${isPlaceholderData ? 'opacity-60' : ''}`}>
      <p role="status" className="text-sm text-muted">
        {isBounded ? texts.countAtLeast(COUNTED) : texts.count(data.total)}
      </p>
      {data.total === 0 ? (
        !isPlaceholderData && empty
      ) : (
        <FileList
          filters={filters}
          first={data}
          view={view}
          selection={selection}
          isDraggable={isDraggable}
          onOpen={({ id }) => void navigate({ to: '/files/$fileId', params: { fileId: id } })}
          onDelete={onDelete}
          onAtTop={setAtTop}
        />
      )}
    </div>
  );
}
