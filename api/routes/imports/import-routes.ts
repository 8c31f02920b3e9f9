import { randomUUID } from 'node:crypto';
import { allowedFolder } from '../../../adapters/source-folder/allowed-folder.ts';
import { invalidField, type ErrorCode } from '../../../domain/app-error.ts';
import type { ImportSettings, ImportSource } from '../../../domain/imports.ts';
import {
  cancelImport,
  pauseImport,
  resumeImport,
  retryImport,
} from '../../../services/imports/change-import.ts';
import { findImport, listImportItems, listImports } from '../../../services/imports/find-import.ts';
import { readProgress } from '../../../services/imports/read-progress.ts';
import {
  reconcileImportIfReachable,
  startOrCancelImport,
} from '../../../services/imports/reconcile-import.ts';
import { requestImport } from '../../../services/imports/request-import.ts';
import { resolveDestination } from '../../../services/files/folders/resolve-destination.ts';
import { chooseBucket } from '../../../services/storage/read-storage.ts';
import { checkWebUrl } from '../../http/check-web-url.ts';
import { requireAccess, route, type Call } from '../../http/route.ts';
import { stateOf } from '../../http/state.ts';
import { listPage } from '../../resources/fields.ts';
import { presentImport, presentItemPage } from '../../resources/import/present.ts';
import {
  importBody,
  importItemPage,
  importItemsQuery,
  importList,
  importListQuery,
  importParams,
  importRecord,
  type ImportBody,
} from '../../resources/import/schema.ts';
import { requireSchema } from '../../resources/upload/require-schema.ts';
import { toUploadAttributes } from '../../resources/upload/to-upload-attributes.ts';

const FOLLOW = 'Poll `GET /imports/{import_id}` until `status` is `completed`, `failed` or `cancelled`.';

/** Files that are fetched from where they are. */
export const importRoutes = [
  route({
    method: 'post',
    path: '/imports',
    operationId: 'createImport',
    summary: 'Import the files of a bucket, of a list of URLs, or of a folder of the server',
    description:
      'Fetches every object below a prefix, or what is behind every URL, and makes it a file, with the options of an upload for all of them. ' +
      'An object is imported once for each version (ETag), whatever happens meanwhile. ' +
      'Each file costs what its upload costs: without credits, the import pauses and goes on once there are some.',
    accepted: `the import is accepted. ${FOLLOW}`,
    cost: 'file',
    tag: 'Imports',
    permit: 'files.write',
    idempotent: true,
    body: importBody,
    answers: { 202: importRecord },
    errors: [
      // From a folder of the server.
      'LOGIN_SESSION_REQUIRED',
      'NOT_FOUND',
      'PROJECT_ARCHIVED',
      'CUSTOM_SCHEMA_NOT_FOUND',
      'STORAGE_NOT_CONFIGURED',
      'TOO_MANY_IMPORTS',
    ],
    async handle(call) {
      const { ctx, em, deps, principal, body, resourceId } = call;
      const { engine } = deps;
      const { tenantId, credential } = principal;
      if (body.source.type === 'manifest') checkWebUrl(deps, body.source.url, '/body/source/url');
      if (body.source.type === 'folder') {
        requireAccess(call, { permit: 'connections.manage', operationId: 'createImport' });
        if (!allowedFolder(deps.importFolders, tenantId, body.source.path))
          throw invalidField('/body/source/path', 'the operator of the server does not allow this folder');
      }
      const target = { importId: resourceId ?? randomUUID(), tenantId };
      const caller = { credential, ipAddress: stateOf(ctx).clientAddress };
      const wanted = {
        source: sourceOf(body),
        settings: await settingsOf(call, body),
        concurrency: body.concurrency,
        maxPerMinute: body.max_files_per_minute,
        repeatHours: body.repeat_every_hours,
        whenGone: body.when_gone,
      };
      const row = await requestImport(em, target, wanted, caller);
      if (row.engineDueAt) await startOrCancelImport({ em, engine }, row);
      ctx.status = 202;
      return readProgress(em, await findImport(em, target));
    },
    present: presentImport,
  }),

  route({
    method: 'get',
    path: '/imports',
    operationId: 'listImports',
    summary: 'List imports, newest first',
    tag: 'Imports',
    permit: 'files.read',
    query: importListQuery,
    answers: { 200: importList },
    async handle({ em, principal: { tenantId }, query }) {
      const { imports, totalCount } = await listImports(em, tenantId, query);
      const items = [];
      for (const row of imports) items.push(presentImport(await readProgress(em, row)));
      return listPage(items, totalCount, query);
    },
  }),

  route({
    method: 'get',
    path: '/imports/:import_id',
    operationId: 'getImport',
    summary: 'Progress of an import',
    tag: 'Imports',
    permit: 'files.read',
    params: importParams,
    answers: { 200: importRecord },
    errors: ['NOT_FOUND'],
    async handle({ em, deps: { engine }, principal: { tenantId }, params }) {
      const target = { importId: params.import_id, tenantId };
      await reconcileImportIfReachable({ em, engine }, await findImport(em, target));
      return readProgress(em, await findImport(em, target));
    },
    present: presentImport,
  }),

  route({
    method: 'get',
    path: '/imports/:import_id/items',
    operationId: 'listImportItems',
    summary: 'What an import has found, and what became of each file',
    tag: 'Imports',
    permit: 'files.read',
    params: importParams,
    query: importItemsQuery,
    answers: { 200: importItemPage },
    errors: ['NOT_FOUND'],
    async handle({ em, principal: { tenantId }, params, query: { status, gone: isGone, cursor, limit } }) {
      const { id } = await findImport(em, { importId: params.import_id, tenantId });
      return listImportItems(em, id, {
        limit,
        ...(status && { status }),
        ...(isGone !== undefined && { isGone }),
        ...(cursor && { after: cursor }),
      });
    },
    present: presentItemPage,
  }),

  changeRoute('pause', {
    operationId: 'pauseImport',
    summary: 'Pause an import; files that were imported are processed all the same',
    errors: ['IMPORT_ENDED'],
    change: pauseImport,
  }),
  changeRoute('resume', {
    operationId: 'resumeImport',
    summary: 'Continue an import that is paused or has failed, from where it was, or begin the next pass now',
    errors: ['IMPORT_ENDED'],
    change: resumeImport,
  }),
  changeRoute('cancel', {
    operationId: 'cancelImport',
    summary: 'Cancel an import and its repetition for good; files that were imported stay',
    errors: ['IMPORT_ENDED'],
    change: cancelImport,
  }),
  changeRoute('retry-failed', {
    operationId: 'retryImport',
    summary: 'Import the files again that have failed, and nothing else',
    errors: ['IMPORT_ENDED', 'NOTHING_TO_RETRY', 'WORK_IN_PROGRESS'],
    change: retryImport,
  }),
];

/** Each changes the row first, so that responses show it at once, then brings the engine in line with it. */
function changeRoute(
  action: string,
  {
    change,
    errors,
    ...described
  }: {
    operationId: string;
    summary: string;
    errors: readonly ErrorCode[];
    change: typeof pauseImport;
  },
) {
  return route({
    method: 'post',
    path: `/imports/:import_id/${action}`,
    ...described,
    tag: 'Imports',
    permit: 'files.write',
    params: importParams,
    answers: { 200: importRecord },
    errors: ['NOT_FOUND', ...errors],
    async handle({ em, deps: { engine }, principal: { tenantId }, params }) {
      const row = await change(em, { importId: params.import_id, tenantId });
      if (row.engineDueAt) await startOrCancelImport({ em, engine }, row);
      return readProgress(em, row);
    },
    present: presentImport,
  });
}

function sourceOf({ source }: ImportBody): ImportSource {
  switch (source.type) {
    case 'own_bucket':
    case 'folder':
      return source;
    case 'bucket':
      return { type: source.type, connectionId: source.connection_id, prefix: source.prefix };
    case 'manifest':
      return { type: source.type, url: source.url, connectionId: source.connection_id };
  }
}

async function settingsOf(
  { em, principal: { tenantId } }: Call<unknown, unknown, unknown>,
  body: ImportBody,
): Promise<ImportSettings> {
  const place = { folderId: body.folder_id, projectId: body.project_id };
  const destination = await resolveDestination(em, tenantId, place);
  const schemaId = await requireSchema(em, tenantId, body.custom_schema_id);
  const { tags, contentCategory, options, folderId } = toUploadAttributes(body, destination, schemaId);
  return {
    tags,
    contentCategory,
    options,
    folderId: folderId ?? null,
    ...(await chooseBucket(em, tenantId, body.storage_target)),
  };
}
