import { queryOptions } from '@tanstack/react-query';
import { PAGE, pageOptions, type FilePage } from './file-pages.ts';
import { filtersOf, parseLibrarySearch, type LibrarySearch } from './search-params.ts';

const KEY = 'last-results';

/** Remembers the results that are looked at, for the files that are opened from them; also after a reload. */
export function rememberResults(search: LibrarySearch): void {
  sessionStorage.setItem(KEY, JSON.stringify(search));
}

/** The results that were looked at last; the whole library before any. */
export function lastResults(): LibrarySearch {
  return parseLibrarySearch(JSON.parse(sessionStorage.getItem(KEY) ?? '{}') as Record<string, unknown>);
}

/** The files before and after a file in the results; undefined at their ends, and for a file that is not among them. */
export const neighboursQuery = (fileId: string, search: LibrarySearch) =>
  queryOptions({
    queryKey: ['neighbours', fileId, search],
    staleTime: 0,
    queryFn: async ({ client: queries }) => {
      const filters = filtersOf(search);
      const read = (page: number) => queries.ensureQueryData(pageOptions(filters, page));
      await read(0);
      const known = queries.getQueriesData<FilePage>({ queryKey: ['files', 'list', filters] });
      const at = known.flatMap(([key, page]) => {
        const place = page?.entries.findIndex(({ id }) => id === fileId) ?? -1;
        return place < 0 ? [] : [Number(key[3]) * PAGE + place];
      })[0];
      if (at === undefined) return { previous: undefined, next: undefined };
      const idAt = async (place: number) =>
        place < 0 ? undefined : (await read(Math.floor(place / PAGE))).entries[place % PAGE]?.id;
      return { previous: await idAt(at - 1), next: await idAt(at + 1) };
    },
  });
