import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { Skeleton } from '../../../ui/page.tsx';
import { Boxes, type PlacedBox } from '../boxes.tsx';
import { FILE_TEXTS } from '../texts.ts';
import { ElementContent, headingLevels } from './element-content.tsx';
import type { DigitizedPage } from './page-queries.ts';
import { PagePicture } from './page-picture.tsx';

/** Of A4, until the page itself is known. */
const USUAL_RATIO = Math.SQRT2;

/**
 * A page of a document: its picture with boxes over it, or, of documents that are not drawn, its elements.
 *
 * @param page   undefined while it is loading
 * @param drawn  whether its picture is shown
 * @param width  of its picture, in pixels
 * @param active ids of the boxes and elements that are highlighted
 * @param placed a place of this page to show; `onPlaced` gets its first highlighted box or element once it is there
 */
export function PageSheet({
  fileId,
  page,
  pageNumber,
  drawn,
  width,
  boxes,
  active,
  placed,
  onPlaced,
  onPoint,
  onSelect,
}: {
  fileId: string;
  page: DigitizedPage | undefined;
  pageNumber: number;
  drawn: boolean;
  width: number;
  boxes: readonly PlacedBox[];
  active: ReadonlySet<string>;
  placed: string | undefined;
  onPlaced: (element: Element) => void;
  onPoint?: ((id: string | null) => void) | undefined;
  onSelect: (id: string) => void;
}) {
  const root = useRef<HTMLDivElement>(null);
  const [ratio, setRatio] = useState(USUAL_RATIO);
  const isRead = page !== undefined;
  const place = useEffectEvent(() => {
    const all = root.current?.querySelectorAll<HTMLElement>('[data-box]') ?? [];
    const box = [...all].find(({ dataset }) => active.has(dataset['box'] ?? ''));
    if (box) onPlaced(box);
  });
  useEffect(() => {
    if (placed !== undefined && isRead) place();
  }, [placed, isRead, ratio]);
  if (drawn) {
    return (
      <div
        ref={root}
        className="relative shrink-0 overflow-hidden rounded-lg border border-line bg-white shadow-sm"
        style={{ aspectRatio: `1 / ${ratio}`, width }}
      >
        <PagePicture fileId={fileId} pageNumber={pageNumber} width={width} onRatio={setRatio} />
        <Boxes boxes={boxes} active={active} onPoint={onPoint} onSelect={onSelect} />
      </div>
    );
  }
  const elements = page?.elements ?? [];
  const levels = headingLevels(elements);
  return (
    <div
      ref={root}
      className="flex flex-col gap-3 rounded-lg border border-line bg-surface p-4 md:p-8"
      style={{ width }}
    >
      {!page && <Skeleton lines={8} />}
      {elements.map((element) => (
        <div
          key={element.element_id}
          data-box={element.element_id}
          className={`max-w-prose ${active.has(element.element_id) ? 'rounded-md bg-accent-soft ring-4 ring-accent-soft' : ''}`}
        >
          <ElementContent element={element} headingLevel={levels.get(element.element_id)} />
        </div>
      ))}
      {page?.status === 'completed' && elements.length === 0 && (
        <p className="text-muted">{FILE_TEXTS.pages.emptyPage}</p>
      )}
    </div>
  );
}
