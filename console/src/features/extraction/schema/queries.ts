import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { components } from 'darkroom-client';
import { client } from '../../../lib/client.ts';

export type SavedSchema = components['schemas']['ExtractionSchema'];

const PAGE = 100;

/** The saved schemas by name, page by page. */
export const savedSchemasQuery = infiniteQueryOptions({
  queryKey: ['extraction-schemas', 'list'],
  initialPageParam: 0,
  queryFn: async ({ pageParam: offset, signal }) =>
    (await client.api.GET('/extraction-schemas', { params: { query: { offset, limit: PAGE } }, signal }))
      .data,
  getNextPageParam: ({ has_more: hasMore, offset, items }) => (hasMore ? offset + items.length : undefined),
});

/** One saved schema. @param version by default the newest */
export const savedSchemaQuery = (id: string, version?: number) =>
  queryOptions({
    queryKey: ['extraction-schemas', 'one', id, version ?? 'newest'],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) =>
      (
        await client.api.GET('/extraction-schemas/{schema_id}', {
          params: { path: { schema_id: id }, query: { ...(version !== undefined && { version }) } },
          signal,
        })
      ).data,
  });
