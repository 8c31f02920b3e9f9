import { randomUUID } from 'node:crypto';
import {
  changeFolder,
  createFolder,
  findFolder,
  listFolders,
} from '../../../services/files/folders/folders.ts';
import { changeRetention } from '../../../services/files/folders/change-retention.ts';
import { readFolder } from '../../../services/files/folders/read-folders.ts';
import { deleteFolder } from '../../../services/trash/delete-folder.ts';
import { callerOf } from '../../http/actor.ts';
import { requireAccess, route } from '../../http/route.ts';
import { listPage } from '../../resources/fields.ts';
import {
  changeFolderBody,
  createFolderBody,
  deleteQuery,
  folderAnswer,
  folderDeletion,
  folderList,
  folderListQuery,
  folderParams,
  presentFolder,
  presentFolderDeletion,
} from '../../resources/folder.ts';

export const folderRoutes = [
  route({
    method: 'post',
    path: '/folders',
    operationId: 'createFolder',
    summary: 'Create a folder',
    tag: 'Folders',
    permit: 'files.write',
    idempotent: true,
    body: createFolderBody,
    answers: { 201: folderAnswer },
    errors: ['NOT_FOUND', 'NAME_TAKEN', 'FOLDER_TOO_DEEP', 'TOO_MANY_FOLDERS', 'PROJECT_ARCHIVED'],
    async handle({ ctx, em, principal, body, resourceId = randomUUID() }) {
      const folder = await createFolder(em, principal.tenantId, {
        id: resourceId,
        name: body.name,
        parentId: body.parent_id,
        projectId: body.project_id,
      });
      ctx.status = 201;
      return presentFolder(await readFolder(em, folder));
    },
  }),

  route({
    method: 'get',
    path: '/folders',
    operationId: 'listFolders',
    summary: 'List folders by name',
    tag: 'Folders',
    permit: 'files.read',
    query: folderListQuery,
    answers: { 200: folderList },
    errors: ['NOT_FOUND'],
    async handle({ em, principal, query: { parent_id: parentId, project_id: projectId, limit, offset } }) {
      const asked = { parentId, projectId, limit, offset };
      const { folders, totalCount } = await listFolders(em, principal.tenantId, asked);
      const items = folders.map(presentFolder);
      return listPage(items, totalCount, { limit, offset });
    },
  }),

  route({
    method: 'get',
    path: '/folders/:folder_id',
    operationId: 'getFolder',
    summary: 'One folder',
    tag: 'Folders',
    permit: 'files.read',
    params: folderParams,
    answers: { 200: folderAnswer },
    errors: ['NOT_FOUND'],
    async handle({ em, principal, params }) {
      return presentFolder(await readFolder(em, await findFolder(em, principal.tenantId, params.folder_id)));
    },
  }),

  route({
    method: 'patch',
    path: '/folders/:folder_id',
    operationId: 'changeFolder',
    summary: 'Rename or move a folder, or set how long its files stay',
    description:
      'Setting `retention_days` and `trash_days` needs ADMIN permission; a project is renamed, but its root folder takes these.',
    tag: 'Folders',
    permit: 'files.write',
    params: folderParams,
    body: changeFolderBody,
    answers: { 200: folderAnswer },
    errors: [
      'NOT_FOUND',
      'NAME_TAKEN',
      'FOLDER_CYCLE',
      'FOLDER_TOO_DEEP',
      'PROJECT_ROOT',
      'PROJECT_ARCHIVED',
    ],
    async handle(call) {
      const { ctx, em, principal, params, body } = call;
      const { name, parent_id: parentId, retention_days: retentionDays, trash_days: trashDays } = body;
      if (retentionDays !== undefined || trashDays !== undefined)
        requireAccess(call, { permit: 'files.erase', operationId: 'changeFolder' });
      let folder = await findFolder(em, principal.tenantId, params.folder_id);
      if (name !== undefined || parentId !== undefined)
        folder = await changeFolder(em, principal.tenantId, folder.id, { name, parentId });
      if (retentionDays !== undefined || trashDays !== undefined)
        folder = await changeRetention(em, callerOf({ ctx, principal }), folder.id, {
          retentionDays,
          trashDays,
        });
      return presentFolder(await readFolder(em, folder));
    },
  }),

  route({
    method: 'delete',
    path: '/folders/:folder_id',
    operationId: 'deleteFolder',
    summary: 'Delete a folder; its files move to the trash',
    description:
      'Deletes an empty folder, or with `recursive=true` all that is inside; files move to the trash.',
    accepted:
      'the folders are gone, and `pending_files` files still move to the trash, without further ' +
      'requests. `GET /files?deleted=true` lists them; the folder itself is 404 once all are there.',
    tag: 'Folders',
    permit: 'files.write',
    params: folderParams,
    query: deleteQuery,
    answers: { 200: folderDeletion, 202: folderDeletion },
    errors: ['NOT_FOUND', 'FOLDER_NOT_EMPTY', 'FILE_HELD', 'PROJECT_ROOT', 'WORK_IN_PROGRESS'],
    async handle({ ctx, em, deps: { engine }, principal, params, query }) {
      const { folder_id: id } = params;
      const deletion = await deleteFolder({ em, engine }, principal.tenantId, id, query.recursive);
      ctx.status = deletion.pendingFiles > 0 ? 202 : 200;
      return presentFolderDeletion(id.toLowerCase(), deletion);
    },
  }),
];
