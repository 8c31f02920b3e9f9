import { Maximize, Minus, Plus } from 'lucide-react';
import { useEffect, useEffectEvent, useRef, useState, type PointerEvent, type ReactNode } from 'react';
import { IconButton } from '../../../ui/button.tsx';
import { Picture } from '../../../ui/picture.tsx';
import type { DetailOf } from '../queries.ts';
import { FILE_TEXTS } from '../texts.ts';

const STEP = 1.4;
const MOST = 12;
/** From here on, the original shows more than the largest variant. */
const ORIGINAL_FROM = 1.5;
const SHOWN_BY_BROWSERS = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif']);

/** A picture that is zoomed by buttons, keys or the wheel, and moved by scrolling or dragging. @param children over it */
export function ZoomedPicture({
  file,
  dimensions: { width, height },
  children,
}: {
  file: DetailOf<'image'>;
  dimensions: NonNullable<DetailOf<'image'>['dimensions']>;
  children: ReactNode;
}) {
  const [zoom, setZoom] = useState(1);
  const frame = useRef<HTMLDivElement>(null);
  const isOriginal = zoom > ORIGINAL_FROM && SHOWN_BY_BROWSERS.has(file.content_type);
  const src = isOriginal ? file.original_url : (file.full_url ?? file.original_url);
  const zoomTo = (next: number) => {
    const to = Math.min(MOST, Math.max(1, next));
    const scroller = frame.current;
    setZoom(to);
    if (!scroller) return;
    // What is in the middle stays there.
    const [x, y] = [scroller.scrollLeft, scroller.scrollTop];
    const [halfX, halfY] = [scroller.clientWidth / 2, scroller.clientHeight / 2];
    requestAnimationFrame(() =>
      scroller.scrollTo(((x + halfX) * to) / zoom - halfX, ((y + halfY) * to) / zoom - halfY),
    );
  };
  const onWheel = useEffectEvent((event: WheelEvent) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    zoomTo(zoom * (event.deltaY < 0 ? 1.15 : 1 / 1.15));
  });
  useEffect(() => {
    const scroller = frame.current;
    // React's own listener could not keep the browser from zooming the page.
    const listener = (event: WheelEvent) => onWheel(event);
    scroller?.addEventListener('wheel', listener, { passive: false });
    return () => scroller?.removeEventListener('wheel', listener);
  }, []);
  const { zoom: texts } = FILE_TEXTS;
  return (
    <div className="overflow-hidden rounded-2xl border border-line bg-sunken">
      <div
        ref={frame}
        role="region"
        aria-label={texts.picture}
        tabIndex={0}
        onKeyDown={(event) => {
          if (event.key === '+' || event.key === '=') zoomTo(zoom * STEP);
          else if (event.key === '-') zoomTo(zoom / STEP);
          else if (event.key === '0') zoomTo(1);
          else return;
          event.preventDefault();
        }}
        onPointerDown={drag}
        className="flex max-h-[70dvh] overflow-auto -outline-offset-2"
      >
        <div
          className="relative m-auto shrink-0"
          style={{
            aspectRatio: `${width} / ${height}`,
            width: `min(${zoom * 100}%, ${(zoom * 70 * width) / height}dvh)`,
          }}
        >
          <Picture
            src={src}
            alt={file.user_description ?? file.upload_description ?? file.title}
            blurHash={file.blur_hash}
            fit="contain"
          />
          {children}
        </div>
      </div>
      <div className="flex justify-end border-t border-line bg-surface px-1">
        <IconButton
          icon={Minus}
          size="smallIcon"
          label={texts.out}
          disabled={zoom <= 1}
          onClick={() => zoomTo(zoom / STEP)}
        />
        <IconButton
          icon={Maximize}
          size="smallIcon"
          label={texts.fit}
          disabled={zoom === 1}
          onClick={() => zoomTo(1)}
        />
        <IconButton
          icon={Plus}
          size="smallIcon"
          label={texts.in}
          disabled={zoom >= MOST}
          onClick={() => zoomTo(zoom * STEP)}
        />
      </div>
    </div>
  );
}

/** Moves the picture with a mouse; fingers scroll by themselves. */
function drag({
  currentTarget: scroller,
  pointerType,
  button,
  clientX,
  clientY,
}: PointerEvent<HTMLDivElement>) {
  if (pointerType !== 'mouse' || button !== 0) return;
  const [left, top] = [scroller.scrollLeft, scroller.scrollTop];
  const stop = new AbortController();
  const move = (event: globalThis.PointerEvent) =>
    scroller.scrollTo(left - (event.clientX - clientX), top - (event.clientY - clientY));
  globalThis.addEventListener('pointermove', move, { signal: stop.signal });
  globalThis.addEventListener('pointerup', () => stop.abort(), { signal: stop.signal });
}
