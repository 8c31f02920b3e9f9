import { useVirtualizer } from '@tanstack/react-virtual';
import { Upload } from 'lucide-react';
import { useRef, useState } from 'react';
import { SelectInput } from '../../ui/field.tsx';
import { Card, Empty } from '../../ui/page.tsx';
import { UPLOAD_TEXTS } from './texts.ts';
import { isOpen, type Totals, type UploadItem } from './upload-item.ts';
import { UploadRow } from './upload-row.tsx';
import { UploadSummary } from './upload-summary.tsx';
import { useUploads } from './uploads.ts';

const texts = UPLOAD_TEXTS;
/** Of a row whose reason takes one line; others are measured. */
const ROW_PX = 65;

type Filter = keyof typeof texts.filters;
const FILTERS = {
  all: () => true,
  open: isOpen,
  processing: ({ state }) => state === 'processing',
  done: ({ state }) => state === 'completed' || state === 'partially_completed',
  duplicate: ({ state }) => state === 'duplicate',
  trouble: ({ state }) => state === 'refused' || state === 'failed',
} as const satisfies Record<Filter, (item: UploadItem) => boolean>;

/** The list of what is being added, of any length, and what can be done with all of it. */
export function UploadList() {
  const { queue, sender, snapshot } = useUploads();
  const [filter, setFilter] = useState<Filter>('all');
  const frame = useRef<HTMLDivElement>(null);
  const shown = snapshot.items.filter(FILTERS[filter]);
  const rows = useVirtualizer({
    count: shown.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_PX,
    getItemKey: (index) => shown[index]?.id ?? index,
    overscan: 6,
  });
  if (snapshot.items.length === 0) {
    return (
      <Empty icon={Upload} title={texts.empty}>
        {texts.emptyHint}
      </Empty>
    );
  }
  const choices = (Object.keys(FILTERS) as Filter[]).map(
    (name) =>
      [name, `${texts.filters[name]} (${countOf(name, snapshot.totals, snapshot.items.length)})`] as const,
  );
  return (
    <Card title={texts.list}>
      <UploadSummary queue={queue} sender={sender} snapshot={snapshot} />
      <div className="mt-4 mb-2 max-w-60">
        <SelectInput
          label={texts.filter}
          hideLabel
          value={filter}
          options={choices}
          onChange={({ target }) => setFilter(target.value as Filter)}
        />
      </div>
      <div
        ref={frame}
        tabIndex={0}
        role="region"
        aria-label={texts.list}
        className="max-h-[60dvh] overflow-y-auto rounded-xl border border-line"
      >
        {shown.length === 0 && <p className="p-4 text-muted">{texts.noneInFilter}</p>}
        <ul className="relative" style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map(({ key, index, start }) => {
            const item = shown[index];
            return (
              item && (
                <li
                  key={key}
                  ref={rows.measureElement}
                  data-index={index}
                  aria-setsize={shown.length}
                  aria-posinset={index + 1}
                  className="absolute inset-x-0 top-0 border-b border-line"
                  style={{ transform: `translateY(${start}px)` }}
                >
                  <UploadRow item={item} sender={sender} />
                </li>
              )
            );
          })}
        </ul>
      </div>
    </Card>
  );
}

function countOf(filter: Filter, { byState }: Totals, all: number): number {
  if (filter === 'all') return all;
  if (filter === 'open') return byState.pending + byState.uploading;
  if (filter === 'done') return byState.completed + byState.partially_completed;
  if (filter === 'trouble') return byState.refused + byState.failed;
  return byState[filter];
}
