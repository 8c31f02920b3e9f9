import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import type { components, FileDetail } from 'darkroom-client';
import { ErrorNote } from '../../ui/page.tsx';
import { Boxes, type PlacedBox } from '../file/boxes.tsx';
import { elementAt, pageQuery } from '../file/document/page-queries.ts';
import { isDrawn } from '../file/document/page-picture.tsx';
import { PageSheet } from '../file/document/page-sheet.tsx';
import { useWidth } from '../file/document/use-width.ts';
import type { DetailOf } from '../file/queries.ts';

/** A place on a page or image that something was read from. */
export interface Mark {
  id: string;
  page: number;
  box: components['schemas']['PageBox'];
  /** What was read there. */
  label: string;
}

interface Props {
  file: FileDetail;
  page: number;
  marks: readonly Mark[];
  /** The mark that stands out. */
  active: string | null;
  onSelect: (id: string) => void;
}

/** A page of a file, or an image, with marks over it. Keyboards reach what the marks mean in the list beside it. */
export function SourceView({ file, marks, ...props }: Props) {
  const own = marks.filter(({ page }) => page === props.page);
  if (file.media_type === 'document')
    return <DocumentPage key={file.id} file={file} marks={own} {...props} />;
  if (file.media_type !== 'image' || !file.full_url) return null;
  return (
    <div className="relative shrink-0 overflow-hidden rounded-lg border border-line">
      <img src={file.full_url} alt={file.title} className="block w-full" />
      <Boxes boxes={own.map(boxOf)} active={idsOf(props.active)} onSelect={props.onSelect} />
    </div>
  );
}

/** The page as the file's own page shows it, with marks instead of elements. */
function DocumentPage({ file, page, marks, active, onSelect }: Props & { file: DetailOf<'document'> }) {
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const { data, error, refetch } = useQuery(pageQuery(file.id, page));
  const mark = marks.find(({ id }) => id === active);
  // What is not drawn has no boxes: there, the element with the mark stands out.
  const element = mark && data && elementAt(data, mark.box);
  return (
    <div ref={frame} className="shrink-0">
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {width > 0 && (
        <PageSheet
          key={page}
          fileId={file.id}
          page={data}
          pageNumber={page}
          drawn={isDrawn(file)}
          width={width}
          boxes={marks.map(boxOf)}
          active={idsOf(active, element)}
          placed={mark?.id}
          onPlaced={(box) => box.scrollIntoView({ block: 'nearest' })}
          onSelect={onSelect}
        />
      )}
    </div>
  );
}

const idsOf = (...ids: readonly (string | null | undefined)[]) =>
  new Set(ids.filter((id) => id !== null && id !== undefined));

function boxOf({ id, box, label }: Mark): PlacedBox {
  return {
    id,
    box: { left: box.x, top: box.y, width: box.w, height: box.h },
    tone: 'border-accent/60',
    label,
  };
}
