import { useQuery } from '@tanstack/react-query';
import { client } from '../../lib/client.ts';
import { entryOf, type FileEntry, type FilePage } from './file-pages.ts';

const POLL_MS = 3000;
const MOST = 100;

const isUnfinished = ({ primary_status: status }: FileEntry) =>
  status === 'pending' || status === 'processing';

/** Keeps files that are still in processing up to date, wherever a list shows them, without reading the lists again. */
export function useLiveEntries(visible: readonly FileEntry[]): void {
  const ids = visible
    .filter(isUnfinished)
    .map(({ id }) => id)
    .slice(0, MOST);
  useQuery({
    queryKey: ['library-progress', ids],
    enabled: ids.length > 0,
    refetchInterval: POLL_MS,
    gcTime: 0,
    queryFn: async ({ client: queries, signal }) => {
      const { data } = await client.api.GET('/files', { params: { query: { ids, limit: MOST } }, signal });
      const fresh = new Map(data.items.map((file) => [file.id, entryOf(file)]));
      for (const [key, page] of queries.getQueriesData<FilePage>({ queryKey: ['files', 'list'] })) {
        if (!page?.entries.some(({ id }) => fresh.has(id))) continue;
        queries.setQueryData<FilePage>(key, {
          ...page,
          entries: page.entries.map((entry) => fresh.get(entry.id) ?? entry),
        });
      }
      return data.items.length;
    },
  });
}
