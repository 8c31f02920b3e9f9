import { useQuery } from '@tanstack/react-query';
import { RotateCcw } from 'lucide-react';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useMay } from '../../../lib/session.ts';
import { TEXTS } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { ErrorNote, Skeleton } from '../../../ui/page.tsx';
import { StatusBadge } from '../../../ui/status.tsx';
import { Boxes, type PlacedBox } from '../boxes.tsx';
import { useRetry } from '../processing/retry.ts';
import { ElementContent, headingLevels } from './element-content.tsx';
import { pageQuery, type PageElement } from './page-queries.ts';
import { PdfPicture } from './pdf-picture.tsx';
import type { PdfState } from './use-pdf.ts';

/** Of A4, until the page itself is known. */
const USUAL_RATIO = Math.SQRT2;

const TONES: Partial<Record<PageElement['type'], string>> = {
  heading: 'border-accent/60',
  table: 'border-good/70',
  figure: 'border-warn/70',
};

/**
 * One page of a document: its picture with its elements over it, or only its elements.
 *
 * @param width   of its picture, in pixels
 * @param active  whether an element is highlighted
 * @param placed  a place of this page that was linked to; `onPlaced` gets its first highlighted element once it is there
 */
export function PageView({
  fileId,
  pageNumber,
  pdf,
  width,
  active,
  placed,
  onPlaced,
  onPoint,
  onSelect,
}: {
  fileId: string;
  pageNumber: number;
  pdf: PdfState;
  width: number;
  active: (element: PageElement) => boolean;
  placed: string | undefined;
  onPlaced: (element: Element) => void;
  onPoint: (id: string | null) => void;
  onSelect: (element: PageElement) => void;
}) {
  const { data, error, refetch } = useQuery(pageQuery(fileId, pageNumber));
  const [ratio, setRatio] = useState(USUAL_RATIO);
  const mayRetry = useMay('editor');
  const retry = useRetry(fileId);
  const elements = data?.elements ?? [];
  const levels = headingLevels(elements);
  const texts = TEXTS.file.pages;
  const root = useRef<HTMLElement>(null);
  const isRead = data !== undefined;
  const place = useEffectEvent(() => {
    const id = elements.find(active)?.element_id;
    const box = id === undefined ? null : root.current?.querySelector(`[data-box="${CSS.escape(id)}"]`);
    if (box) onPlaced(box);
  });
  useEffect(() => {
    if (placed !== undefined && isRead) place();
  }, [placed, isRead, ratio]);
  return (
    <section ref={root} aria-label={texts.page(pageNumber)} className="flex flex-col gap-2">
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
      {pdf.is === 'open' || pdf.is === 'opening' ? (
        <div
          className="relative overflow-hidden rounded-lg border border-line bg-white shadow-sm"
          style={{ aspectRatio: `1 / ${ratio}`, width }}
        >
          {pdf.is === 'open' && (
            <PdfPicture pdf={pdf.document} pageNumber={pageNumber} width={width} onRatio={setRatio} />
          )}
          <Boxes
            boxes={elements.map(boxOf)}
            active={new Set(elements.filter(active).map(({ element_id: id }) => id))}
            onPoint={onPoint}
            onSelect={(id) => {
              const element = elements.find(({ element_id: one }) => one === id);
              if (element) onSelect(element);
            }}
          />
        </div>
      ) : (
        <div
          className="flex flex-col gap-3 rounded-lg border border-line bg-surface p-4 md:p-8"
          style={{ width }}
        >
          {!data && !error && <Skeleton lines={8} />}
          {elements.map((element) => (
            <div
              key={element.element_id}
              data-box={element.element_id}
              className={`max-w-prose ${active(element) ? 'rounded-md bg-accent-soft ring-4 ring-accent-soft' : ''}`}
            >
              <ElementContent element={element} headingLevel={levels.get(element.element_id)} />
            </div>
          ))}
          {data?.status === 'completed' && elements.length === 0 && (
            <p className="text-muted">{texts.emptyPage}</p>
          )}
        </div>
      )}
    </section>
  );
}

function boxOf({ element_id: id, type, content, bounding_box: box }: PageElement): PlacedBox {
  return {
    id,
    box: { left: box.x, top: box.y, width: box.w, height: box.h },
    tone: TONES[type] ?? 'border-busy/35',
    label: `${TEXTS.file.pages.kinds[type]}: ${content.slice(0, 80)}`,
  };
}
