import { useQuery } from '@tanstack/react-query';
import type { components } from 'darkroom-client';
import { client } from './client.ts';

type PageBox = components['schemas']['PageBox'];

/** A page of a document with its elements. @param fileId null to read nothing */
export function useDigitizedPage(fileId: string | null, page: number) {
  return useQuery({
    queryKey: ['files', 'digitized-page', fileId, page],
    enabled: fileId !== null,
    staleTime: 60_000,
    queryFn: async ({ signal }) =>
      (
        await client.api.GET('/files/{file_id}/digitization/pages/{page_number}', {
          params: { path: { file_id: fileId ?? '', page_number: page } },
          signal,
        })
      ).data,
  });
}

/**
 * The element of a page of a document that a place lies in, for links to that place.
 *
 * @param fileId null to look for nothing
 * @returns its id; undefined while it is not known, and for a place in no element
 */
export function useElementAt(fileId: string | null, page: number, box: PageBox | null): string | undefined {
  const { data } = useDigitizedPage(box === null ? null : fileId, page);
  if (!box) return undefined;
  const [x, y] = [box.x + box.w / 2, box.y + box.h / 2];
  return data?.elements.find(({ bounding_box: place }) => contains(place, x, y))?.element_id;
}

const contains = ({ x, y, w, h }: PageBox, px: number, py: number) =>
  px >= x && px <= x + w && py >= y && py <= y + h;
