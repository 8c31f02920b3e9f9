import { ChevronLeft, ChevronRight, Minus, Plus } from 'lucide-react';
import { useEffect, useState } from 'react';
import { formatNumber } from '../../../lib/format.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { FILE_TEXTS } from '../texts.ts';

/** A page as it is printed, or only its elements. */
export type PageLook = 'picture' | 'text';

const LOOKS = ['picture', 'text'] as const satisfies readonly PageLook[];
const MOST_ZOOM = 3;

/**
 * The number of the page in sight, to change it; how pages look, and how large.
 *
 * @param onLook absent where pages have no picture
 * @param onZoom absent for text
 */
export function PageToolbar({
  page,
  total,
  onPage,
  look,
  onLook,
  zoom,
  onZoom,
}: {
  page: number;
  total: number;
  onPage: (page: number) => void;
  look: PageLook;
  onLook: ((look: PageLook) => void) | undefined;
  zoom: number;
  onZoom: ((zoom: number) => void) | undefined;
}) {
  const texts = FILE_TEXTS.pages;
  const [typed, setTyped] = useState(String(page));
  useEffect(() => setTyped(String(page)), [page]);
  const submit = () => {
    const wanted = Math.min(total, Math.max(1, Math.round(Number(typed)) || page));
    setTyped(String(wanted));
    onPage(wanted);
  };
  return (
    <div className="flex items-center gap-x-4 max-sm:justify-between max-sm:gap-x-2">
      <form
        className="flex items-center gap-1"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <IconButton
          icon={ChevronLeft}
          size="smallIcon"
          label={texts.previous}
          disabled={page <= 1}
          onClick={() => onPage(page - 1)}
        />
        <label className="flex items-center gap-1.5 text-sm">
          <span className="text-muted max-sm:sr-only">{texts.number}</span>
          <input
            value={typed}
            inputMode="numeric"
            onChange={(event) => setTyped(event.target.value)}
            onBlur={() => setTyped(String(page))}
            className="h-8 w-16 rounded-lg max-sm:w-12 border border-strong-line bg-surface px-2 text-right tabular-nums"
          />
        </label>
        <span className="text-sm text-muted">{texts.of(formatNumber(total))}</span>
        <IconButton
          icon={ChevronRight}
          size="smallIcon"
          label={texts.next}
          disabled={page >= total}
          onClick={() => onPage(page + 1)}
        />
      </form>
      {onLook && (
        <div
          role="group"
          aria-label={texts.look}
          className="flex rounded-lg border border-line bg-surface p-0.5"
        >
          {LOOKS.map((one) => (
            <Button
              key={one}
              size="small"
              variant="quiet"
              aria-pressed={one === look}
              className={`h-7! ${one === look ? 'bg-accent-soft' : ''}`}
              onClick={() => onLook(one)}
            >
              {texts.looks[one]}
            </Button>
          ))}
        </div>
      )}
      {onZoom && (
        // Fingers zoom by themselves.
        <div className="flex max-sm:hidden">
          <IconButton
            icon={Minus}
            size="smallIcon"
            label={FILE_TEXTS.zoom.out}
            disabled={zoom <= 0.5}
            onClick={() => onZoom(zoom - 0.25)}
          />
          <IconButton
            icon={Plus}
            size="smallIcon"
            label={FILE_TEXTS.zoom.in}
            disabled={zoom >= MOST_ZOOM}
            onClick={() => onZoom(zoom + 0.25)}
          />
        </div>
      )}
    </div>
  );
}
