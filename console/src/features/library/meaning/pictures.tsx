import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { SearchAnswer } from 'darkroom-client';
import { Images } from 'lucide-react';
import { Empty, ErrorNote, Skeleton } from '../../../ui/page.tsx';
import { Picture } from '../../../ui/picture.tsx';
import { lastingUrl } from '../lasting-url.ts';
import type { LibrarySearch } from '../search-params.ts';
import { LIBRARY_TEXTS } from '../texts.ts';
import { meaningQuery } from './meaning-query.ts';
import { RankNote } from './rank-note.tsx';

const texts = LIBRARY_TEXTS;

/** Images and videos that a search finds by what they show. */
export function Pictures({ q, search }: { q: string; search: LibrarySearch }) {
  const { data, error, isPlaceholderData, refetch } = useQuery(meaningQuery('pictures', q, search.media));
  if (error) return <ErrorNote error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton lines={8} />;
  if (data.files.length === 0) return <Empty icon={Images} title={texts.noPictures} />;
  return (
    <div className={`flex flex-col gap-3 ${isPlaceholderData ? 'opacity-60' : ''}`}>
      <RankNote rankedBy={data.files_ranked_by} search={search} />
      <ol
        aria-label={texts.results.pictures}
        className="grid grid-cols-[repeat(auto-fill,minmax(min(11rem,45%),1fr))] gap-3"
      >
        {data.files.map((file) => (
          <Found key={file.file_id} file={file} />
        ))}
      </ol>
    </div>
  );
}

function Found({ file }: { file: SearchAnswer['files'][number] }) {
  const { file_id: id, title, thumbnail_url: src } = file;
  return (
    <li>
      <Link
        to="/files/$fileId"
        params={{ fileId: id }}
        className="flex flex-col overflow-hidden rounded-xl border border-line bg-surface hover:border-strong-line"
      >
        <span className="block aspect-4/3 bg-sunken">
          <Picture src={src && lastingUrl(src)} alt="" blurHash={null} />
        </span>
        <span className="flex flex-col px-2.5 py-2">
          <span className="truncate font-medium" title={title}>
            {title}
          </span>
          <span className="text-xs text-muted">{texts.foundBy[file.found_by]}</span>
        </span>
      </Link>
    </li>
  );
}
