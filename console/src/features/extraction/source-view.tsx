import type { components, FileDetail } from 'darkroom-client';
import { client } from '../../lib/client.ts';
import { useDigitizedPage } from '../../lib/places.ts';
import { TEXTS } from '../../texts.ts';
import { Skeleton } from '../../ui/page.tsx';

const texts = TEXTS.extraction;

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

export const fileQuery = (id: string) => ({
  queryKey: ['files', 'source', id],
  queryFn: async ({ signal }: { signal: AbortSignal }): Promise<FileDetail> =>
    (await client.api.GET('/files/{file_id}', { params: { path: { file_id: id } }, signal })).data,
});

/** A page of a file, or an image, with marks over it. Keyboards reach what the marks mean in the list beside it. */
export function SourceView({ file, page, marks, active, onSelect }: Props) {
  const own = marks.filter((mark) => mark.page === page);
  return (
    <div className="relative shrink-0 overflow-hidden rounded-xl border border-line bg-white">
      {file.media_type === 'image' ? (
        file.full_url && <img src={file.full_url} alt={file.title} className="block w-full" />
      ) : (
        <PageOfTexts fileId={file.id} page={page} />
      )}
      {own.map(({ id, box, label }) => (
        <button
          key={id}
          type="button"
          data-box={id}
          tabIndex={-1}
          aria-hidden
          title={label}
          onClick={() => onSelect(id)}
          ref={id === active ? showMark : undefined}
          className={`absolute -m-1.5 box-content rounded-sm border-2 p-1 ${id === active ? 'z-10 border-[#b9400a] bg-[#b9400a]/20' : 'border-[#b9400a]/45 hover:bg-[#b9400a]/10'}`}
          style={{
            left: `${box.x * 100}%`,
            top: `${box.y * 100}%`,
            width: `${box.w * 100}%`,
            height: `${box.h * 100}%`,
          }}
        />
      ))}
    </div>
  );
}

const showMark = (mark: HTMLElement | null) => mark?.scrollIntoView({ block: 'nearest' });

/** The texts of a page at their places. */
function PageOfTexts({ fileId, page }: { fileId: string; page: number }) {
  const { data, isPending } = useDigitizedPage(fileId, page);
  return (
    <div
      role="group"
      aria-label={texts.textOnly}
      className="@container relative aspect-[1/1.414] w-full text-[#1c1917]"
    >
      {isPending && (
        <div className="p-6">
          <Skeleton lines={8} />
        </div>
      )}
      {data?.elements.map(({ element_id: id, type, content, bounding_box: { x, y, w } }) => (
        <div
          key={id}
          className={`absolute text-[2cqw] leading-tight ${type === 'heading' ? 'font-semibold' : ''}`}
          style={{ left: `${x * 100}%`, top: `${y * 100}%`, width: `${w * 100}%` }}
        >
          {content}
        </div>
      ))}
    </div>
  );
}
