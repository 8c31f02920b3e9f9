import { decode, isBlurhashValid } from 'blurhash';
import { useEffect, useRef, useState } from 'react';

const BLUR_PIXELS = 24;
const FITS = { cover: 'object-cover', top: 'object-cover object-top', contain: 'object-contain' } as const;

/**
 * A picture that appears over its blur hash. Fills its parent, which gives it its size.
 *
 * @param alt  what it shows; empty for a picture beside a text that says it
 * @param src  null while there is none
 * @param fit  `cover` cuts what does not fit, `top` only below, `contain` leaves a margin
 */
export function Picture({
  src,
  alt,
  blurHash,
  fit = 'cover',
}: {
  src: string | null;
  alt: string;
  blurHash: string | null;
  fit?: keyof typeof FITS;
}) {
  const [shown, setShown] = useState<string | null>(null);
  const isShown = src !== null && shown === src;
  return (
    <div className="relative size-full overflow-hidden">
      {!isShown && blurHash && <BlurHash hash={blurHash} />}
      {src && (
        <img
          src={src}
          alt={alt}
          loading="lazy"
          decoding="async"
          draggable={false}
          onLoad={() => setShown(src)}
          className={`relative size-full transition-opacity duration-200 ${FITS[fit]} ${isShown ? '' : 'opacity-0'}`}
        />
      )}
    </div>
  );
}

function BlurHash({ hash }: { hash: string }) {
  const ref = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const context = ref.current?.getContext('2d');
    if (!context || !isBlurhashValid(hash).result) return;
    const pixels = context.createImageData(BLUR_PIXELS, BLUR_PIXELS);
    pixels.data.set(decode(hash, BLUR_PIXELS, BLUR_PIXELS));
    context.putImageData(pixels, 0, 0);
  }, [hash]);
  return (
    <canvas
      ref={ref}
      aria-hidden
      width={BLUR_PIXELS}
      height={BLUR_PIXELS}
      className="absolute inset-0 size-full"
    />
  );
}
