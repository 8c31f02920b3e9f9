import type { Api, Data, PathsOf, Query } from './api.ts';
import { ApiError } from './errors.ts';
import type { SendOptions } from './transport.ts';
import type { paths } from './openapi.ts';

/** The fields that contain the entries of a list. */
const ENTRIES = ['items', 'results', 'sessions', 'events', 'files', 'conversations'] as const;
type Entries = (typeof ENTRIES)[number];

type EntryOf<T> = { [K in Entries]: T extends Record<K, readonly (infer E)[]> ? E : never }[Entries];

/** The paths of paginated lists. */
export type ListPath = {
  [P in PathsOf<'get'>]: Extract<keyof NonNullable<Query<P>>, 'offset' | 'page'> extends never ? never : P;
}[PathsOf<'get'>];

/** One entry of a list. */
export type Entry<P extends ListPath> = EntryOf<Data<P, 'get'>>;

/** The query and path parameters of a list, without those for pages. */
export type ListOptions<P extends ListPath> = SendOptions & {
  query?: Omit<NonNullable<Query<P>>, 'offset' | 'cursor' | 'page'>;
} & (paths[P]['get'] extends { parameters: { path: infer I } } ? { path: I } : { path?: never });

interface Page extends Partial<Record<Entries, unknown[]>> {
  has_more?: boolean;
  next_cursor?: string | null;
  total_count?: number;
  pagination?: { page: number; has_more?: boolean; has_next?: boolean; total_pages?: number };
}

/**
 * The entries of a list; pages are requested as needed.
 *
 * @throws ApiError, ConnectionError, the reason of the signal
 */
export async function* paginate<P extends ListPath>(
  api: Api,
  path: P,
  given?: ListOptions<P>,
): AsyncGenerator<Entry<P>, void, undefined> {
  const untyped: object = given ?? {};
  const { query, path: ids, ...options }: SendOptions & { query?: object; path?: object } = untyped;
  const get = api.GET as (path: string, init: object) => Promise<{ data: unknown; response: Response }>;
  let next: object | undefined = {};
  for (let seen = 0; next;) {
    const params = { query: { ...query, ...next }, ...(ids !== undefined && { path: ids }) };
    const { data, response } = await get(path, { ...options, params });
    const page = data as Page;
    const key = ENTRIES.find((name) => Array.isArray(page[name]));
    if (!key) throw new ApiError('NOT_A_LIST', `${path} did not return a list`, { status: response.status });
    const entries = page[key] ?? [];
    yield* entries as Entry<P>[];
    seen += entries.length;
    next = entries.length === 0 ? undefined : after(page, seen);
  }
}

/** The parameters of the next page; undefined after the last one. */
function after(page: Page, seen: number): object | undefined {
  if (page.next_cursor) return { cursor: page.next_cursor };
  if (page.pagination) {
    const { page: number, total_pages: pages = 0 } = page.pagination;
    return number < pages ? { page: number + 1 } : undefined;
  }
  const hasMore = page.has_more ?? seen < (page.total_count ?? 0);
  return hasMore ? { offset: seen } : undefined;
}
