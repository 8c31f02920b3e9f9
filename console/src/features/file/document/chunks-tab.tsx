import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import type { FileDetail } from 'darkroom-client';
import { TextQuote } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { fileLink } from '../../../lib/file-link.ts';
import { formatNumber } from '../../../lib/format.ts';
import { Empty, ErrorNote, Skeleton } from '../../../ui/page.tsx';
import { chunksQuery, type Chunk } from '../queries.ts';
import { FILE_TEXTS } from '../texts.ts';
import { TextBlock } from './element-content.tsx';

const USUAL_HEIGHT = 220;
const GAP = 12;

/** The pieces of a text that search finds, in order. */
export function ChunksTab({ file }: { file: FileDetail }) {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery(
    chunksQuery(file.id),
  );
  const list = useRef<HTMLOListElement>(null);
  const chunks = data?.pages.flatMap(({ chunks: some }) => some) ?? [];
  const rows = useWindowVirtualizer({
    count: chunks.length,
    estimateSize: () => USUAL_HEIGHT,
    gap: GAP,
    overscan: 3,
    scrollMargin: list.current?.offsetTop ?? 0,
  });
  const last = rows.getVirtualItems().at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && last >= chunks.length - 5) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, last, chunks.length, fetchNextPage]);
  if (error) return <ErrorNote error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton lines={8} />;
  const total = data.pages[0]?.total_chunks ?? 0;
  if (total === 0) return <Empty icon={TextQuote} title={FILE_TEXTS.chunks.none} />;
  return (
    <>
      <p className="mb-3 text-sm text-muted">{FILE_TEXTS.chunks.hint(total)}</p>
      <ol ref={list} className="relative max-w-3xl" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, key, start }) => {
          const chunk = chunks[index];
          if (!chunk) return null;
          return (
            <li
              key={key}
              ref={rows.measureElement}
              data-index={index}
              aria-setsize={total}
              aria-posinset={index + 1}
              className="absolute inset-x-0 top-0"
              style={{ transform: `translateY(${start - rows.options.scrollMargin}px)` }}
            >
              <ChunkItem fileId={file.id} chunk={chunk} />
            </li>
          );
        })}
      </ol>
    </>
  );
}

function ChunkItem({ fileId, chunk }: { fileId: string; chunk: Chunk }) {
  const {
    chunk_index: index,
    content,
    page_numbers: pages,
    heading_hierarchy: path,
    elements,
    metadata,
  } = chunk;
  const texts = FILE_TEXTS.chunks;
  return (
    <article className="rounded-xl border border-line bg-surface p-4">
      <header className="mb-2 flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted">
        <span className="tabular-nums">#{formatNumber(index + 1)}</span>
        {path.length > 0 && <span className="wrap-anywhere">{path.join(' › ')}</span>}
        {elements.length > 0 &&
          pages.map((page) => (
            <Link
              key={page}
              {...fileLink({
                fileId,
                tab: 'pages',
                page,
                elementId: elements.find(({ page_number: one }) => one === page)?.element_id,
              })}
              className="inline-flex min-h-6 items-center text-accent underline underline-offset-2"
            >
              {FILE_TEXTS.pages.page(page)}
            </Link>
          ))}
        <span>{texts.tokens(metadata.token_count)}</span>
        {metadata.embedding_status !== 'completed' && (
          <span className="text-warn">{texts.embedding[metadata.embedding_status]}</span>
        )}
      </header>
      <div className="flex flex-col gap-2">
        {content.split('\n\n').map((block, at) => (
          <TextBlock key={at} text={block} />
        ))}
      </div>
    </article>
  );
}
