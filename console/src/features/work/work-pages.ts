import { useInfiniteQuery, type QueryKey } from '@tanstack/react-query';

const PAGE = 50;

interface WorkPage<T> {
  items: T[];
  offset: number;
  has_more: boolean;
}

/**
 * The pages of a list of work, newest first, read again while something in it is open, and more rarely otherwise.
 *
 * @param load reads a page
 */
export function useWorkPages<T>(
  queryKey: QueryKey,
  load: (page: { limit: number; offset: number }, signal: AbortSignal) => Promise<WorkPage<T>>,
  {
    isOpen,
    busyMs = 5000,
    quietMs = 20_000,
  }: { isOpen: (item: T) => boolean; busyMs?: number; quietMs?: number },
) {
  const pages = useInfiniteQuery({
    queryKey,
    initialPageParam: 0,
    queryFn: ({ pageParam, signal }) => load({ limit: PAGE, offset: pageParam }, signal),
    getNextPageParam: ({ has_more: more, offset, items }) => (more ? offset + items.length : undefined),
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ items }) => items.some(isOpen)) ? busyMs : quietMs,
  });
  return { ...pages, items: pages.data?.pages.flatMap(({ items }) => items) ?? [] };
}
