import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { FileText } from 'lucide-react';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { Empty, ErrorNote, Skeleton } from '../../../ui/page.tsx';
import { holds } from '../quote.ts';
import type { DetailOf } from '../queries.ts';
import { explain } from '../../../ui/status.tsx';
import { FILE_TEXTS } from '../texts.ts';
import { Outline } from './outline.tsx';
import { PageSide } from './page-side.tsx';
import { PageToolbar, type PageLook } from './page-toolbar.tsx';
import { pageStatusesQuery, type PageElement, type PageStatuses } from './page-queries.ts';
import { isDrawn } from './page-picture.tsx';
import { PageView } from './page-view.tsx';
import { useWidth } from './use-width.ts';

const GAP = 24;
const HEAD = 40;
const WIDEST = 900;

/** The pages of a document. */
export function PagesTab({ file }: { file: DetailOf<'document'> }) {
  const { data, error, refetch } = useQuery(pageStatusesQuery(file.id));
  if (error) return <ErrorNote error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton lines={8} />;
  if (data.total_pages === 0) {
    return (
      <Empty icon={FileText} title={FILE_TEXTS.pages.none}>
        {explain(file, file.explanation)}
      </Empty>
    );
  }
  return <PageReader file={file} statuses={data} />;
}

/** Any number of pages, of which only those in sight exist; beside them the selected element and the outline. */
function PageReader({ file, statuses }: { file: DetailOf<'document'>; statuses: PageStatuses }) {
  const navigate = useNavigate({ from: '/files/$fileId' });
  const search = useSearch({ from: '/signed-in/files/$fileId' });
  const { page: linkedPage, element: linkedElement, quote } = search;
  const [look, setLook] = useState<PageLook>('picture');
  const [zoom, setZoom] = useState(1);
  const [selected, setSelected] = useState<PageElement | null>(null);
  const [pointed, setPointed] = useState<string | null>(null);
  const frame = useRef<HTMLDivElement>(null);
  const room = useWidth(frame);
  const width = Math.round(Math.min(room, WIDEST) * zoom);
  const hasPictures = isDrawn(file);
  const drawn = hasPictures && look === 'picture';
  const pages = useVirtualizer({
    count: statuses.total_pages,
    getScrollElement: () => frame.current,
    estimateSize: () => (drawn ? width * Math.SQRT2 : 600) + HEAD + GAP,
    overscan: 1,
    gap: GAP,
    enabled: room > 0,
    initialOffset: 0,
  });
  const current = (pages.getVirtualItemForOffset((pages.scrollOffset ?? 0) + 100)?.index ?? 0) + 1;
  const isReady = room > 0;
  const keepPage = useEffectEvent(() => {
    pages.measure();
    pages.scrollToIndex(current - 1, { align: 'start' });
  });
  // Pages are of other heights without their pictures.
  useEffect(() => {
    if (isReady) keepPage();
  }, [isReady, drawn]);
  // The place that was selected here is in sight already.
  const ownPlace = useRef<string | undefined>(undefined);
  const place = linkedPage === undefined ? undefined : `${linkedPage} ${linkedElement ?? ''}`;
  const openPage = useEffectEvent(() => {
    if (linkedPage !== undefined) pages.scrollToIndex(linkedPage - 1, { align: 'start' });
  });
  useEffect(() => {
    if (isReady && place !== ownPlace.current) openPage();
  }, [isReady, place]);
  useEffect(() => pages.measure(), [pages, width]);
  const reveal = (element: Element) => {
    const scroller = frame.current;
    if (!scroller || place === ownPlace.current) return;
    const [inner, outer] = [element.getBoundingClientRect(), scroller.getBoundingClientRect()];
    scroller.scrollBy(0, inner.top - outer.top - outer.height / 3);
  };
  const goTo = (page: number, element?: string) =>
    void navigate({
      to: '.',
      search: { ...search, page, element, quote: undefined },
      replace: true,
      resetScroll: false,
    });
  const open = (page: number, element: string) => {
    setSelected(null);
    ownPlace.current = undefined;
    goTo(page, element);
  };
  const isActive = (pageNumber: number) => (element: PageElement) => {
    const id = element.element_id;
    if (id === pointed || id === selected?.element_id) return true;
    if (selected) return false;
    if (linkedElement !== undefined) return id === linkedElement;
    return quote !== undefined && pageNumber === (linkedPage ?? 1) && holds(quote, element.content);
  };
  return (
    <div className="grid gap-5 lg:grid-cols-[minmax(0,1fr)_22rem] lg:items-start">
      <div className="flex min-w-0 flex-col gap-2">
        <PageToolbar
          page={current}
          total={statuses.total_pages}
          onPage={(page) => {
            pages.scrollToIndex(page - 1, { align: 'start' });
            ownPlace.current = `${page} `;
            setSelected(null);
            goTo(page);
          }}
          look={look}
          onLook={hasPictures ? setLook : undefined}
          zoom={zoom}
          onZoom={drawn ? setZoom : undefined}
        />
        <div
          ref={frame}
          role="region"
          aria-label={FILE_TEXTS.tabs.pages}
          tabIndex={0}
          className="h-[calc(100dvh-15rem)] min-h-96 overflow-auto rounded-2xl border border-line bg-sunken p-2 -outline-offset-2 md:p-4"
        >
          <div
            className="relative mx-auto"
            style={{ height: pages.getTotalSize(), width: width || undefined }}
          >
            {pages.getVirtualItems().map(({ index, key, start }) => (
              <div
                key={key}
                ref={pages.measureElement}
                data-index={index}
                className="absolute top-0 left-0"
                style={{ transform: `translateY(${start}px)` }}
              >
                <PageView
                  fileId={file.id}
                  pageNumber={index + 1}
                  drawn={drawn}
                  width={width}
                  active={isActive(index + 1)}
                  onPoint={setPointed}
                  placed={index + 1 === linkedPage ? place : undefined}
                  onPlaced={reveal}
                  onSelect={(element) => {
                    setSelected(element);
                    ownPlace.current = `${index + 1} ${element.element_id}`;
                    goTo(index + 1, element.element_id);
                  }}
                />
              </div>
            ))}
          </div>
        </div>
      </div>
      <div className="flex flex-col gap-5 lg:sticky lg:top-5">
        {drawn && (
          <PageSide
            fileId={file.id}
            page={linkedPage ?? current}
            elementId={selected?.element_id ?? linkedElement}
            quote={quote}
            onOpen={(element) => open(linkedPage ?? current, element)}
          />
        )}
        <Outline fileId={file.id} total={statuses.total_pages} onOpen={open} />
      </div>
    </div>
  );
}
