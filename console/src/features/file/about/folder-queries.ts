import { infiniteQueryOptions, queryOptions, skipToken } from '@tanstack/react-query';
import { client } from '../../../lib/client.ts';

const FOLDERS_AT_ONCE = 100;

/** @param folderId null for the root, which has no folder of its own */
export const folderQuery = (folderId: string | null) =>
  queryOptions({
    queryKey: ['folders', folderId],
    queryFn:
      folderId === null
        ? skipToken
        : async ({ signal }) => {
            const params = { path: { folder_id: folderId } };
            return (await client.api.GET('/folders/{folder_id}', { params, signal })).data;
          },
  });

/** The folders directly in a folder. @param folderId null for the root */
export const subfoldersQuery = (folderId: string | null) =>
  infiniteQueryOptions({
    queryKey: ['folders', folderId, 'folders'],
    initialPageParam: 0,
    queryFn: async ({ pageParam, signal }) => {
      const query = { parent_id: folderId ?? 'root', offset: pageParam, limit: FOLDERS_AT_ONCE };
      return (await client.api.GET('/folders', { params: { query }, signal })).data;
    },
    getNextPageParam: ({ has_more: more, offset, items }) => (more ? offset + items.length : undefined),
  });

/** @param projectId null for a file of no project */
export const projectQuery = (projectId: string | null) =>
  queryOptions({
    queryKey: ['projects', projectId],
    queryFn:
      projectId === null
        ? skipToken
        : async ({ signal }) => {
            const params = { path: { project_id: projectId } };
            return (await client.api.GET('/projects/{project_id}', { params, signal })).data;
          },
  });
