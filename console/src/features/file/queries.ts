import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Data, FileDetail } from 'darkroom-client';
import { client } from '../../lib/client.ts';

export type DetailOf<M extends FileDetail['media_type']> = Extract<FileDetail, { media_type: M }>;
export type ProcessingStatus = Data<'/files/{file_id}/processing-status', 'get'>;
export type Timeline = Data<'/files/{file_id}/timeline', 'get'>;
export type Chunk = Data<'/files/{file_id}/chunks', 'get'>['chunks'][number];

const of = (fileId: string) => ({ path: { file_id: fileId } });
const CHUNKS_AT_ONCE = 50;
/** Events tell of changes of a file, but not that a step waits for a worker or for its next attempt. */
const LOOK_AGAIN_MS = 5000;

/** Presigned URLs in it are valid for an hour. */
export const fileQuery = (fileId: string) =>
  queryOptions({
    queryKey: ['files', fileId],
    staleTime: 60_000,
    queryFn: async ({ signal }) =>
      (await client.api.GET('/files/{file_id}', { params: of(fileId), signal })).data,
  });

/** The file in the trash; null if it is not there. */
export const trashedFileQuery = (fileId: string) =>
  queryOptions({
    queryKey: ['files', fileId, 'trashed'],
    queryFn: async ({ signal }) => {
      const params = { query: { ids: [fileId], deleted: true } };
      return (await client.api.GET('/files', { params, signal })).data.items[0] ?? null;
    },
  });

/** More attachments than a letter has. */
const MOST_PARTS = 50;

/** The files that came with a file, such as the attachments of a letter. */
export const partsQuery = (fileId: string) =>
  queryOptions({
    queryKey: ['files', fileId, 'parts'],
    queryFn: async ({ signal }) => {
      const params = { query: { parent_file_id: fileId, limit: MOST_PARTS } };
      return (await client.api.GET('/files', { params, signal })).data.items;
    },
  });

export const processingQuery = (fileId: string) =>
  queryOptions({
    queryKey: ['files', fileId, 'processing'],
    queryFn: async ({ signal }) =>
      (await client.api.GET('/files/{file_id}/processing-status', { params: of(fileId), signal })).data,
    refetchInterval: ({ state }) =>
      state.data?.primary_status === 'pending' || state.data?.primary_status === 'processing'
        ? LOOK_AGAIN_MS
        : false,
  });

export const timelineQuery = (fileId: string) =>
  queryOptions({
    queryKey: ['files', fileId, 'timeline'],
    queryFn: async ({ signal }) =>
      (await client.api.GET('/files/{file_id}/timeline', { params: of(fileId), signal })).data,
  });

export const similarQuery = (fileId: string) =>
  queryOptions({
    queryKey: ['files', fileId, 'similar'],
    queryFn: ({ signal }) => client.similar(fileId, { limit: 24, signal }),
  });

/** The text of a link or a document. */
export const textQuery = (fileId: string) =>
  queryOptions({
    queryKey: ['files', fileId, 'text'],
    staleTime: Infinity,
    queryFn: async ({ signal }) =>
      (await client.api.GET('/files/{file_id}/text', { params: of(fileId), signal })).data,
  });

export const chunksQuery = (fileId: string) =>
  infiniteQueryOptions({
    queryKey: ['files', fileId, 'chunks'],
    initialPageParam: 0,
    queryFn: async ({ pageParam, signal }) => {
      const query = { offset: pageParam, limit: CHUNKS_AT_ONCE };
      const params = { ...of(fileId), query };
      return (await client.api.GET('/files/{file_id}/chunks', { params, signal })).data;
    },
    getNextPageParam: ({ total_chunks: total }, pages) => {
      const read = pages.reduce((sum, { chunks }) => sum + chunks.length, 0);
      return read < total ? read : undefined;
    },
  });
