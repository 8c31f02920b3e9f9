import { queryOptions, useQuery } from '@tanstack/react-query';
import type { Data } from 'darkroom-client';
import { client } from '../../../lib/client.ts';

export type PageStatuses = Data<'/files/{file_id}/digitization/status', 'get'>;
export type DigitizedPage = Data<'/files/{file_id}/digitization/pages/{page_number}', 'get'>;
export type PageElement = DigitizedPage['elements'][number];
type Place = PageElement['bounding_box'];

export const pageStatusesQuery = (fileId: string) =>
  queryOptions({
    queryKey: ['files', fileId, 'pages'],
    queryFn: async ({ signal }) => {
      const params = { path: { file_id: fileId } };
      return (await client.api.GET('/files/{file_id}/digitization/status', { params, signal })).data;
    },
  });

/** One page with its elements, which stay the same until the page is read again. */
export const pageQuery = (fileId: string, pageNumber: number) =>
  queryOptions({
    queryKey: ['files', fileId, 'pages', pageNumber],
    staleTime: 300_000,
    queryFn: async ({ signal }) => {
      const params = { path: { file_id: fileId, page_number: pageNumber } };
      return (await client.api.GET('/files/{file_id}/digitization/pages/{page_number}', { params, signal }))
        .data;
    },
  });

/** A heading of a document and its place. */
export interface OutlineEntry {
  elementId: string;
  page: number;
  text: string;
  /** From 1. */
  level: number;
}

export const outlineQuery = (fileId: string) =>
  queryOptions({
    queryKey: ['files', fileId, 'outline'],
    staleTime: 300_000,
    queryFn: async ({ signal }): Promise<OutlineEntry[]> => {
      const params = { path: { file_id: fileId }, query: { element_types: ['heading' as const] } };
      const { data } = await client.api.GET('/files/{file_id}/digitization', { params, signal });
      return data.pages.flatMap(({ page_number: page, elements }) =>
        elements.map(({ element_id: elementId, content, metadata }) => ({
          elementId,
          page,
          text: content,
          level: Number(metadata['level'] ?? 1),
        })),
      );
    },
  });

/** The id of the element of a page that a place lies in; undefined for a place in none. */
export function elementAt(page: DigitizedPage, { x, y, w, h }: Place): string | undefined {
  const [across, down] = [x + w / 2, y + h / 2];
  return page.elements.find(
    ({ bounding_box: box }) =>
      across >= box.x && across <= box.x + box.w && down >= box.y && down <= box.y + box.h,
  )?.element_id;
}

/**
 * The element of a page of a document that a place lies in, for links to that place.
 *
 * @param fileId null to look for nothing
 * @returns its id; undefined while it is not known, and for a place in no element
 */
export function useElementAt(fileId: string | null, page: number, box: Place | null): string | undefined {
  const { data } = useQuery({ ...pageQuery(fileId ?? '', page), enabled: fileId !== null && box !== null });
  return data && box ? elementAt(data, box) : undefined;
}
