import { useQuery } from '@tanstack/react-query';
import { RotateCcw } from 'lucide-react';
import { useMay } from '../../../lib/session.ts';
import { Button } from '../../../ui/button.tsx';
import { ErrorNote } from '../../../ui/page.tsx';
import { StatusBadge } from '../../../ui/status.tsx';
import type { PlacedBox } from '../boxes.tsx';
import { useRetry } from '../processing/retry.ts';
import { FILE_TEXTS } from '../texts.ts';
import { pageQuery, type PageElement } from './page-queries.ts';
import { PageSheet } from './page-sheet.tsx';

const TONES: Partial<Record<PageElement['type'], string>> = {
  heading: 'border-accent/60',
  table: 'border-good/70',
  figure: 'border-warn/70',
};

/**
 * One page of a document: its picture with its elements over it, or only its elements.
 *
 * @param drawn   whether its picture is shown
 * @param width   of its picture, in pixels
 * @param active  whether an element is highlighted
 * @param placed  a place of this page that was linked to; `onPlaced` gets its first highlighted element once it is there
 */
export function PageView({
  fileId,
  pageNumber,
  drawn,
  width,
  active,
  placed,
  onPlaced,
  onPoint,
  onSelect,
}: {
  fileId: string;
  pageNumber: number;
  drawn: boolean;
  width: number;
  active: (element: PageElement) => boolean;
  placed: string | undefined;
  onPlaced: (element: Element) => void;
  onPoint: (id: string | null) => void;
  onSelect: (element: PageElement) => void;
}) {
  const { data, error, refetch } = useQuery(pageQuery(fileId, pageNumber));
  const mayRetry = useMay('editor');
  const retry = useRetry(fileId);
  const elements = data?.elements ?? [];
  const texts = FILE_TEXTS.pages;
  return (
    <section aria-label={texts.page(pageNumber)} className="flex flex-col gap-2">
      <header className="flex min-h-8 flex-wrap items-center justify-between gap-2 text-sm text-muted">
        <span className="flex items-center gap-2">
          <h2>{texts.page(pageNumber)}</h2>
          {data && data.status !== 'completed' && <StatusBadge status={data.status} />}
          {data?.source === 'ocr' && <span>· {texts.ocr}</span>}
        </span>
        {mayRetry && data && (
          <Button
            size="small"
            variant="quiet"
            icon={RotateCcw}
            busy={retry.isPending}
            onClick={() => retry.mutate({ pages: [pageNumber] })}
          >
            {texts.readAgain}
            <span className="sr-only">: {texts.page(pageNumber)}</span>
          </Button>
        )}
      </header>
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {data?.error_message && <p className="text-bad wrap-anywhere">{data.error_message}</p>}
      {(data || !error) && (
        <PageSheet
          fileId={fileId}
          page={data}
          pageNumber={pageNumber}
          drawn={drawn}
          width={width}
          boxes={elements.map(boxOf)}
          active={new Set(elements.filter(active).map(({ element_id: id }) => id))}
          placed={placed}
          onPlaced={onPlaced}
          onPoint={onPoint}
          onSelect={(id) => {
            const element = elements.find(({ element_id: one }) => one === id);
            if (element) onSelect(element);
          }}
        />
      )}
    </section>
  );
}

function boxOf({ element_id: id, type, content, bounding_box: box }: PageElement): PlacedBox {
  return {
    id,
    box: { left: box.x, top: box.y, width: box.w, height: box.h },
    tone: TONES[type] ?? 'border-busy/35',
    label: `${FILE_TEXTS.pages.kinds[type]}: ${content.slice(0, 80)}`,
  };
}
