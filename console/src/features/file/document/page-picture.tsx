import { useEffect, useState } from 'react';
import { FILE_TEXTS } from '../texts.ts';

/** The service draws a page in these widths, and a request in the next of them. */
const WIDTHS = [320, 640, 960, 1280, 1920];
/** A page that is only scrolled past is not asked for. */
const REST_MS = 150;
/** While the service is busy. */
const PAUSES_MS = [2_000, 4_000, 8_000];

/** Documents whose pages look like something; of the others, the elements are shown. */
export const isDrawn = ({ document_type: type }: { document_type: string }): boolean =>
  type === 'pdf' || type === 'tiff';

/**
 * The picture of one page of a document, as wide as its parent.
 *
 * @param onRatio gets the height of the page by its width, once it is known
 */
export function PagePicture({
  fileId,
  pageNumber,
  width,
  onRatio,
}: {
  fileId: string;
  pageNumber: number;
  width: number;
  onRatio: (ratio: number) => void;
}) {
  const wanted = width * globalThis.devicePixelRatio;
  const drawn = WIDTHS.find((each) => each >= wanted) ?? WIDTHS.at(-1);
  const url = `/api/v2/files/${fileId}/pages/${pageNumber}/image?width=${drawn}`;
  const [failures, setFailures] = useState(0);
  const [src, setSrc] = useState<string>();
  const pause = failures === 0 ? REST_MS : PAUSES_MS[failures - 1];
  useEffect(() => {
    if (pause === undefined) return;
    const timer = setTimeout(() => setSrc(failures === 0 ? url : `${url}#${failures}`), pause);
    return () => clearTimeout(timer);
  }, [url, failures, pause]);
  return (
    <>
      {src !== undefined && (
        <img
          src={src}
          alt={FILE_TEXTS.pages.picture(pageNumber)}
          draggable={false}
          decoding="async"
          className="absolute inset-0 size-full"
          onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => {
            setFailures(0);
            onRatio(naturalHeight / naturalWidth);
          }}
          onError={() => setFailures(failures + 1)}
        />
      )}
      {pause === undefined && (
        <p className="absolute inset-x-0 top-0 p-4 text-center text-sm text-bad">
          {FILE_TEXTS.pages.notDrawn}
        </p>
      )}
    </>
  );
}
