import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client } from '../../../lib/client.ts';
import type { Medium } from '../search-params.ts';

const MOST = 30;
const KINDS = {
  passages: ['document', 'link'],
  pictures: ['image', 'video'],
} as const satisfies Record<string, readonly Medium[]>;

/**
 * What a search finds by meaning: passages of documents and pages, or images and videos as a whole. The API takes no
 * other filter for it than the media.
 */
export const meaningQuery = (kind: keyof typeof KINDS, q: string, media: readonly Medium[] | undefined) => {
  const searched = KINDS[kind].filter((medium) => !media || media.includes(medium));
  return queryOptions({
    queryKey: ['files', 'meaning', q, searched] as const,
    staleTime: 60_000,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => client.search(q, { media_types: searched, limit: MOST, signal }),
  });
};
