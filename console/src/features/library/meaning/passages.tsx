import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { SearchAnswer } from 'darkroom-client';
import { TextSearch } from 'lucide-react';
import { Empty, ErrorNote, Skeleton } from '../../../ui/page.tsx';
import type { LibrarySearch } from '../search-params.ts';
import { LIBRARY_TEXTS } from '../texts.ts';
import { meaningQuery } from './meaning-query.ts';
import { RankNote } from './rank-note.tsx';

const texts = LIBRARY_TEXTS;

/** Passages of documents that fit a search by meaning or words; each opens its document at its page. */
export function Passages({ q, search }: { q: string; search: LibrarySearch }) {
  const { data, error, isPlaceholderData, refetch } = useQuery(meaningQuery('passages', q, search.media));
  if (error) return <ErrorNote error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton lines={8} />;
  if (data.items.length === 0) return <Empty icon={TextSearch} title={texts.noPassages} />;
  return (
    <div className={`flex flex-col gap-3 ${isPlaceholderData ? 'opacity-60' : ''}`}>
      <RankNote rankedBy={data.ranked_by} search={search} />
      <ol aria-label={texts.results.passages} className="flex flex-col gap-3">
        {data.items.map((hit) => (
          <Passage key={hit.chunk_id} hit={hit} />
        ))}
      </ol>
    </div>
  );
}

function Passage({ hit }: { hit: SearchAnswer['items'][number] }) {
  const { document_id: id, document_filename: name, content, page_numbers: pages } = hit;
  const headings = hit.heading_hierarchy.join(' › ');
  // The text begins with its own heading, which stands above it already.
  const heading = hit.heading_hierarchy.at(-1) ?? '';
  const text = (content.startsWith(heading) ? content.slice(heading.length) : content).trim();
  return (
    <li className="max-w-4xl rounded-xl border border-line bg-surface p-4">
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <Link
          to="/files/$fileId"
          params={{ fileId: id }}
          search={pages[0] === undefined ? {} : { page: pages[0] }}
          className="font-medium wrap-anywhere hover:underline"
        >
          {name}
        </Link>
        {pages.map((page) => (
          <Link
            key={page}
            to="/files/$fileId"
            params={{ fileId: id }}
            search={{ page }}
            className="inline-flex h-6 items-center rounded-full bg-accent-soft px-2.5 text-xs font-medium text-accent hover:underline"
          >
            {texts.page(page)}
          </Link>
        ))}
      </div>
      {headings && <p className="text-sm text-muted wrap-anywhere">{headings}</p>}
      <p className="mt-2 line-clamp-4 whitespace-pre-line wrap-anywhere">
        {text.replaceAll(/\n\s*\n/g, '\n') || content}
      </p>
    </li>
  );
}
