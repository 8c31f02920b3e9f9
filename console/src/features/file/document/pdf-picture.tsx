import type { PDFDocumentProxy, RenderTask } from 'pdfjs-dist';
import { useEffect, useRef, useState } from 'react';
import { TEXTS } from '../../../texts.ts';

/** More pixels would take more memory than phones give a page. */
const MOST_PIXELS = 8_000_000;

/**
 * The picture of one page of a PDF, drawn at the width of its parent.
 *
 * @param onRatio gets the height of the page by its width, once it is known
 */
export function PdfPicture({
  pdf,
  pageNumber,
  width,
  onRatio,
}: {
  pdf: PDFDocumentProxy;
  pageNumber: number;
  width: number;
  onRatio: (ratio: number) => void;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [hasFailed, setFailed] = useState(false);
  useEffect(() => {
    let isShown = true;
    let task: RenderTask | undefined;
    const draw = async () => {
      const page = await pdf.getPage(pageNumber);
      if (!isShown || !canvas.current) return;
      const { width: points, height } = page.getViewport({ scale: 1 });
      onRatio(height / points);
      const sharp = (width * globalThis.devicePixelRatio) / points;
      const scale = Math.min(sharp, Math.sqrt(MOST_PIXELS / (points * height)));
      const viewport = page.getViewport({ scale });
      // Drawn elsewhere first: the former picture stays until the new one is complete.
      const next = document.createElement('canvas');
      next.width = Math.floor(viewport.width);
      next.height = Math.floor(viewport.height);
      task = page.render({ canvas: next, viewport });
      await task.promise;
      if (!isShown || !canvas.current) return;
      canvas.current.width = next.width;
      canvas.current.height = next.height;
      canvas.current.getContext('2d')?.drawImage(next, 0, 0);
    };
    draw().catch(() => {
      if (isShown) setFailed(true);
    });
    return () => {
      isShown = false;
      task?.cancel();
    };
  }, [pdf, pageNumber, width, onRatio]);
  return (
    <>
      <canvas
        ref={canvas}
        role="img"
        aria-label={TEXTS.file.pages.picture(pageNumber)}
        className="absolute inset-0 size-full"
      />
      {hasFailed && (
        <p className="absolute inset-x-0 top-0 p-4 text-center text-sm text-bad">
          {TEXTS.file.pages.notDrawn}
        </p>
      )}
    </>
  );
}
