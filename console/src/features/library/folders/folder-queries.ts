import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { Data } from 'darkroom-client';
import { client } from '../../../lib/client.ts';
import { notify } from '../../../ui/notices.tsx';
import { TEXTS } from '../../../texts.ts';
import { LIBRARY_TEXTS } from '../texts.ts';

export type Folder = Data<'/folders', 'get'>['items'][number];

const PAGE = 100;

/** Whether a folder is the root folder of a project, and so stands for the project. */
export const isProject = ({ parent_id: parent, project_id: project }: Folder): boolean =>
  parent === null && project !== null;

/** The folders directly in another, by name. @param parent id of a folder, or `root` */
export const subfolders = (parent: string) =>
  infiniteQueryOptions({
    queryKey: ['folders', 'in', parent],
    initialPageParam: 0,
    queryFn: async ({ pageParam, signal }) => {
      const query = { parent_id: parent, limit: PAGE, offset: pageParam };
      return (await client.api.GET('/folders', { params: { query }, signal })).data;
    },
    getNextPageParam: ({ has_more: more, offset }) => (more ? offset + PAGE : undefined),
  });

export const folderQuery = (id: string) =>
  queryOptions({
    queryKey: ['folders', 'one', id],
    queryFn: async ({ signal }) =>
      (await client.api.GET('/folders/{folder_id}', { params: { path: { folder_id: id } }, signal })).data,
  });

export const projectQuery = (id: string) =>
  queryOptions({
    queryKey: ['folders', 'project', id],
    queryFn: async ({ signal }) =>
      (await client.api.GET('/projects/{project_id}', { params: { path: { project_id: id } }, signal })).data,
  });

/** What a person wants to do with a folder. */
export type FolderTask =
  | { do: 'create'; parent: Folder | null }
  | { do: 'create-project' }
  | { do: 'rename' | 'move' | 'retention' | 'delete'; folder: Folder };

/** What can be done with folders and projects. */
export type FolderChange =
  | { do: 'create'; name: string; parent: string | null }
  | { do: 'create-project'; name: string }
  | { do: 'rename'; folder: Folder; name: string }
  | { do: 'move'; id: string; parent: string | null }
  | { do: 'retention'; id: string; settings: Pick<Folder, 'retention_days' | 'trash_days'> }
  | { do: 'delete'; folder: Folder };

/** Changes folders; the tree and the lists show it. */
export function useFolderChange() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: send,
    onSuccess: (message, change) => {
      if (message) notify(message);
      void queries.invalidateQueries({ queryKey: ['folders'] });
      if (change.do === 'delete') void queries.invalidateQueries({ queryKey: ['files'] });
    },
  });
}

/** @returns what to say about it, if the page does not show it */
async function send(change: FolderChange): Promise<string | undefined> {
  const { api } = client;
  switch (change.do) {
    case 'create':
      await api.POST('/folders', { body: { name: change.name, parent_id: change.parent } });
      return undefined;
    case 'create-project':
      await api.POST('/projects', { body: { name: change.name } });
      return undefined;
    case 'move':
      await api.PATCH('/folders/{folder_id}', {
        params: { path: { folder_id: change.id } },
        body: { parent_id: change.parent },
      });
      return LIBRARY_TEXTS.folderMoved;
    case 'retention':
      await api.PATCH('/folders/{folder_id}', {
        params: { path: { folder_id: change.id } },
        body: change.settings,
      });
      return TEXTS.common.saved;
    case 'rename': {
      const { folder, name } = change;
      if (isProject(folder) && folder.project_id) {
        await api.PATCH('/projects/{project_id}', {
          params: { path: { project_id: folder.project_id } },
          body: { name },
        });
      } else {
        await api.PATCH('/folders/{folder_id}', {
          params: { path: { folder_id: folder.id } },
          body: { name },
        });
      }
      return undefined;
    }
    case 'delete': {
      const { folder } = change;
      const query = { recursive: true };
      const { data } =
        isProject(folder) && folder.project_id
          ? await api.DELETE('/projects/{project_id}', {
              params: { path: { project_id: folder.project_id }, query },
            })
          : await api.DELETE('/folders/{folder_id}', { params: { path: { folder_id: folder.id }, query } });
      return data.message;
    }
  }
}
