import { keepPreviousData, queryOptions, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Data } from 'darkroom-client';
import { useEffect, useState } from 'react';
import { client } from '../../lib/client.ts';
import type { FileFilters } from './search-params.ts';
import { lastingUrl } from './lasting-url.ts';

type FileItem = Data<'/files', 'get'>['items'][number];
const SHOWN = [
  'id',
  'title',
  'media_type',
  'format',
  'primary_status',
  'failure_kind',
  'blur_hash',
  'size_bytes',
  'created_at',
  'page_count',
  'duration_seconds',
  'domain',
] as const;

/** What the list shows of a file. Texts are left out or cut, so that many pages fit in memory. */
export type FileEntry = Pick<FileItem, (typeof SHOWN)[number] | 'thumbnail_url'> & { summary: string };

export interface FilePage {
  entries: FileEntry[];
  total: number;
  nextCursor: string | null;
}

/** Number of files of a page. */
export const PAGE = 60;
const REFRESH_MS = 10_000;
const FIRST_KEPT_MS = 30 * 60_000;
const KEPT_MS = 60_000;
const SETTLED_MS = 150;
const SUMMARY = 200;

export function entryOf(file: FileItem): FileEntry {
  const { thumbnail_url: url, user_description: own, upload_description: generated } = file;
  return {
    ...(Object.fromEntries(SHOWN.map((name) => [name, file[name]])) as Pick<
      FileItem,
      (typeof SHOWN)[number]
    >),
    thumbnail_url: url && lastingUrl(url),
    summary: (own ?? generated ?? '').slice(0, SUMMARY),
  };
}

const keyOf = (filters: FileFilters, index: number) => ['files', 'list', filters, index] as const;

/**
 * One page of a list. It is read after the cursor of the page before it, so that files that were added since do not
 * move it; by its offset if that page is not known, because somebody has scrolled far, or has changed.
 */
export function pageOptions(filters: FileFilters, index: number) {
  return queryOptions({
    queryKey: keyOf(filters, index),
    staleTime: Infinity,
    gcTime: index === 0 ? FIRST_KEPT_MS : KEPT_MS,
    queryFn: async ({ client: queries, signal }): Promise<FilePage> => {
      const before = queries.getQueryState<FilePage>(keyOf(filters, index - 1));
      const isKnown = before?.fetchStatus === 'idle' && !before.isInvalidated;
      const cursor = isKnown ? before.data?.nextCursor : undefined;
      const place = cursor ? { cursor } : { offset: index * PAGE };
      const { data } = await client.api.GET('/files', {
        params: { query: { ...filters, ...place, limit: PAGE } },
        signal,
      });
      return {
        entries: data.items.map(entryOf),
        total: data.total_count,
        nextCursor: data.next_cursor,
      };
    },
  });
}

/** The first page, which has the total, and is read again every few seconds while it is on the screen. */
export function useFirstPage(filters: FileFilters, isVisible: boolean) {
  const queries = useQueryClient();
  const query = useQuery({
    ...pageOptions(filters, 0),
    staleTime: REFRESH_MS,
    refetchInterval: isVisible && REFRESH_MS,
    placeholderData: keepPreviousData,
  });
  const order = query.isPlaceholderData ? undefined : query.data?.entries.map(({ id }) => id).join();
  const [known, setKnown] = useState({ filters, order });
  // Files were added or removed: the pages after it have moved.
  useEffect(() => {
    if (order === undefined || (known.filters === filters && known.order === order)) return;
    setKnown({ filters, order });
    if (known.filters !== filters || known.order === undefined) return;
    void queries.invalidateQueries({
      queryKey: ['files', 'list', filters],
      predicate: ({ queryKey }) => queryKey[3] !== 0,
    });
  }, [filters, order, known, queries]);
  return query;
}

/** The pages of a range of files, without the first page. A range that is only scrolled past is not requested. */
export function usePages(filters: FileFilters, { from, to }: { from: number; to: number }) {
  const [asked, setAsked] = useState({ first: 0, last: 0 });
  const first = Math.floor(from / PAGE);
  const last = Math.floor(to / PAGE);
  useEffect(() => {
    const isNear = Math.abs(first - asked.first) <= 2;
    const timer = setTimeout(() => setAsked({ first, last }), isNear ? 0 : SETTLED_MS);
    return () => clearTimeout(timer);
  }, [first, last, asked.first]);
  const indexes = Array.from(
    { length: asked.last - asked.first + 1 },
    (_, position) => asked.first + position,
  ).filter((index) => index > 0);
  return useQueries({
    queries: indexes.map((index) => pageOptions(filters, index)),
    combine: (results) => ({
      pages: new Map(results.map(({ data }, position) => [indexes[position] ?? 0, data])),
      error: results.find(({ error }) => error)?.error ?? null,
      retry: () => results.filter(({ error }) => error).forEach(({ refetch }) => void refetch()),
    }),
  });
}
