import type { Query } from 'darkroom-client';

export const MEDIA = ['image', 'document', 'video', 'link'] as const;
export type Medium = (typeof MEDIA)[number];
export const STATUSES = ['pending', 'processing', 'completed', 'partially_completed', 'failed'] as const;
export const FAILURES = [
  'cancelled',
  'rejected',
  'unreadable',
  'unreachable',
  'duplicate',
  'quota_exhausted',
  'model_failed',
  'service_failed',
] as const;
export const COMPLIANCE = ['passed', 'failed', 'error', 'not_checked'] as const;
export const SORTS = ['created_at', 'content_created_at', 'title', 'size_bytes'] as const;
export const RESULTS = ['files', 'passages', 'pictures'] as const;

/** What the address of the library says: its search, filters and order. Absent fields filter nothing. */
export interface LibrarySearch {
  q?: string;
  /** Which results of a search are shown; the files by their words without it. */
  show?: (typeof RESULTS)[number];
  media?: Medium[];
  /** Files in any of these statuses. */
  status?: (typeof STATUSES)[number][];
  /** Failed files of this kind. */
  failure?: (typeof FAILURES)[number];
  tags?: string[];
  /** First and last day, in the time zone of the browser. */
  from?: string;
  to?: string;
  /** Id of a folder, or `root` for files in none. */
  folder?: string;
  /** With `folder`: also the files of the folders below it. */
  deep?: boolean;
  project?: string;
  compliance?: (typeof COMPLIANCE)[number];
  sort?: (typeof SORTS)[number];
  order?: 'asc' | 'desc';
}

/** Query parameters of `GET /files`, without those for pages. */
export type FileFilters = Omit<NonNullable<Query<'/files'>>, 'cursor' | 'offset' | 'limit'>;

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
const DAY = /^\d{4}-\d\d-\d\d$/;

/** Reads the address; what does not fit is left out, because anybody can type an address. */
export function parseLibrarySearch(search: Record<string, unknown>): LibrarySearch {
  const text = (name: string, longest: number) => {
    const value = search[name];
    const is = typeof value === 'string' || typeof value === 'number';
    return (is && String(value).trim() !== '' && String(value).slice(0, longest)) || undefined;
  };
  const like = (name: string, pattern: RegExp) => {
    const value = search[name];
    return typeof value === 'string' && pattern.test(value) ? value : undefined;
  };
  const day = (name: string) => {
    const value = like(name, DAY);
    return value && !Number.isNaN(Date.parse(value)) ? value : undefined;
  };
  const one = <T extends string>(name: string, known: readonly T[]) =>
    known.find((value) => value === search[name]);
  const many = (name: string) => [search[name] ?? []].flat();
  const some = <T extends string>(name: string, known: readonly T[]) => {
    const given = known.filter((value) => many(name).includes(value));
    return given.length > 0 ? given : undefined;
  };
  const tags = many('tags')
    .filter((tag) => typeof tag === 'string' || typeof tag === 'number')
    .map((tag) => String(tag).slice(0, 50))
    .filter((tag) => tag.trim() !== '')
    .slice(0, 40);
  return {
    q: text('q', 1000),
    show: one('show', RESULTS),
    media: some('media', MEDIA),
    status: some('status', STATUSES),
    failure: one('failure', FAILURES),
    tags: tags.length > 0 ? tags : undefined,
    from: day('from'),
    to: day('to'),
    folder: like('folder', UUID) ?? one('folder', ['root']),
    deep: search['deep'] === true || undefined,
    project: like('project', UUID),
    compliance: one('compliance', COMPLIANCE),
    sort: one('sort', SORTS),
    order: one('order', ['asc', 'desc']),
  };
}

/** The filters of the API that an address stands for. @param deleted whether to list the trash */
export function filtersOf(search: LibrarySearch, deleted = false): FileFilters {
  const { q, media, status, failure, tags, from, to, folder, deep, project, compliance, sort, order } =
    search;
  return {
    ...(q && { search: q }),
    ...(media && { media_types: media }),
    ...(status && { status }),
    ...(failure && { failure_kind: [failure] }),
    ...(tags && { tags }),
    ...(from && { date_from: new Date(`${from}T00:00:00`).toISOString() }),
    ...(to && { date_to: new Date(`${to}T23:59:59.999`).toISOString() }),
    ...(folder && { folder_id: folder }),
    ...(folder && folder !== 'root' && deep && { include_subfolders: true }),
    ...(!folder && project && { project_id: project }),
    ...(compliance && { compliance_status: compliance }),
    ...(sort && { sort_by: sort }),
    ...(order && { sort_order: order }),
    ...(deleted && { deleted }),
  };
}

/** The search without the filters of the filter panel; words, folder and order stay. */
export const withoutFilters = ({
  q,
  show,
  folder,
  deep,
  project,
  sort,
  order,
}: LibrarySearch): LibrarySearch => ({
  q,
  show,
  folder,
  deep,
  project,
  sort,
  order,
});

/** How many filters of the filter panel are in force. */
export const countFilters = ({ media, status, failure, tags, from, to, compliance }: LibrarySearch): number =>
  [media, status, failure, tags, from, to, compliance].filter((value) => value !== undefined).length;
