import { randomUUID } from 'node:crypto';
import { changeProject } from '../../../services/files/folders/change-project.ts';
import { createProject } from '../../../services/files/folders/create-project.ts';
import { findProject, listProjects } from '../../../services/files/folders/find-project.ts';
import { deleteProject } from '../../../services/trash/delete-folder.ts';
import { route } from '../../http/route.ts';
import { listPage } from '../../resources/fields.ts';
import { deleteQuery, folderDeletion, presentFolderDeletion } from '../../resources/folder.ts';
import {
  changeProjectBody,
  createProjectBody,
  presentProject,
  projectAnswer,
  projectList,
  projectListQuery,
  projectParams,
} from '../../resources/project.ts';
import { requireSchema } from '../../resources/upload/require-schema.ts';

export const projectRoutes = [
  route({
    method: 'post',
    path: '/projects',
    operationId: 'createProject',
    summary: 'Create a project with its root folder',
    tag: 'Folders',
    permit: 'files.write',
    idempotent: true,
    body: createProjectBody,
    answers: { 201: projectAnswer },
    errors: ['NOT_FOUND', 'NAME_TAKEN', 'TOO_MANY_FOLDERS', 'CUSTOM_SCHEMA_NOT_FOUND'],
    async handle({ ctx, em, principal, body, resourceId = randomUUID() }) {
      const schemaId = await requireSchema(em, principal.tenantId, body.default_schema_id);
      const project = await createProject(em, principal.tenantId, {
        id: resourceId,
        name: body.name,
        slug: body.slug,
        description: body.description || null,
        defaultContentCategory: body.default_content_category ?? null,
        defaultSchemaId: schemaId ?? null,
      });
      ctx.status = 201;
      return presentProject(project);
    },
  }),

  route({
    method: 'get',
    path: '/projects',
    operationId: 'listProjects',
    summary: 'List projects by name',
    tag: 'Folders',
    permit: 'files.read',
    query: projectListQuery,
    answers: { 200: projectList },
    async handle({ em, principal, query: { archived, limit, offset } }) {
      const asked = { archived, limit, offset };
      const { projects, totalCount } = await listProjects(em, principal.tenantId, asked);
      const items = projects.map(presentProject);
      return listPage(items, totalCount, { limit, offset });
    },
  }),

  route({
    method: 'get',
    path: '/projects/:project_id',
    operationId: 'getProject',
    summary: 'One project',
    tag: 'Folders',
    permit: 'files.read',
    params: projectParams,
    answers: { 200: projectAnswer },
    errors: ['NOT_FOUND'],
    handle: async ({ em, principal, params }) =>
      presentProject(await findProject(em, principal.tenantId, params.project_id)),
  }),

  route({
    method: 'patch',
    path: '/projects/:project_id',
    operationId: 'changeProject',
    summary: 'Change or archive a project',
    tag: 'Folders',
    permit: 'files.write',
    params: projectParams,
    body: changeProjectBody,
    answers: { 200: projectAnswer },
    errors: ['NOT_FOUND', 'NAME_TAKEN', 'CUSTOM_SCHEMA_NOT_FOUND'],
    async handle({ em, principal, params, body }) {
      const schemaId = await requireSchema(em, principal.tenantId, body.default_schema_id);
      const project = await changeProject(em, principal.tenantId, params.project_id, {
        name: body.name,
        slug: body.slug,
        description: body.description === undefined ? undefined : body.description || null,
        defaultContentCategory: body.default_content_category,
        defaultSchemaId: body.default_schema_id === undefined ? undefined : (schemaId ?? null),
        archived: body.archived,
      });
      return presentProject(project);
    },
  }),

  route({
    method: 'delete',
    path: '/projects/:project_id',
    operationId: 'deleteProject',
    summary: 'Delete a project and its folders; its files move to the trash',
    description: 'Deletes an empty project, or with `recursive=true` its folders; files move to the trash.',
    accepted:
      'the project is gone, and `pending_files` files still move to the trash, without further ' +
      'requests. `GET /files?deleted=true` lists them.',
    tag: 'Folders',
    permit: 'files.write',
    params: projectParams,
    query: deleteQuery,
    answers: { 200: folderDeletion, 202: folderDeletion },
    errors: ['NOT_FOUND', 'FOLDER_NOT_EMPTY', 'FILE_HELD', 'WORK_IN_PROGRESS'],
    async handle({ ctx, em, deps: { engine }, principal, params, query }) {
      const { project_id: id } = params;
      const deletion = await deleteProject({ em, engine }, principal.tenantId, id, query.recursive);
      ctx.status = deletion.pendingFiles > 0 ? 202 : 200;
      return presentFolderDeletion(id.toLowerCase(), deletion);
    },
  }),
];
