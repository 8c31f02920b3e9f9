import { readProjectsOfFolders } from '../../../services/files/folders/read-folders.ts';
import { resolveScope } from '../../../services/files/folders/resolve-scope.ts';
import { listFiles } from '../../../services/files/list-files.ts';
import { clientGone } from '../../http/client-gone.ts';
import { route } from '../../http/route.ts';
import { fileList, listQuery, duplicatesAnswer, duplicatesBody } from '../../resources/file/list-schema.ts';
import { NO_OWN_FIELDS, presentFileItem } from '../../resources/file/present.ts';
import { presentOwnFields } from '../../resources/media.ts';
import { checkDuplicates } from '../../../services/files/find-duplicate.ts';

export const fileListRoute = route({
  method: 'get',
  path: '/files',
  operationId: 'listFiles',
  summary: 'List files',
  description:
    'Finds files by words and filters. Page with `cursor` (the `next_cursor` of the page before) or ' +
    'with `offset`.',
  tag: 'Files',
  permit: 'files.read',
  query: listQuery,
  answers: { 200: fileList },
  errors: ['NOT_FOUND', 'SEARCH_TIMEOUT'],
  async handle({ ctx, em, deps, principal, query }) {
    const { tenantId } = principal;
    const folders = await resolveScope(em, tenantId, {
      folderId: query.folder_id,
      includeSubfolders: query.include_subfolders,
      projectId: query.project_id,
    });
    const { limit, offset } = query;
    const asked = {
      filter: {
        deleted: query.deleted,
        tags: query.tags,
        mediaTypes: query.media_types,
        statuses: query.status,
        failureKinds: query.failure_kind,
        hasDescription: query.has_description,
        ids: query.ids,
        complianceStatus: query.compliance_status,
        parentFileId: query.parent_file_id,
        held: query.held,
        folders,
        from: query.date_from,
        to: query.date_to,
      },
      search: query.search,
      searchMode: query.search_mode,
      sortBy: query.sort_by,
      sortOrder: query.sort_order,
      limit,
      offset,
      cursor: query.cursor,
      searchTimeoutMs: deps.searchTimeoutMs,
    };
    const read = () => listFiles(em, tenantId, asked);
    const page = await (query.search === undefined
      ? read()
      : deps.searches.run(tenantId, clientGone(ctx.res), read));
    const { files } = page;
    const own = await presentOwnFields({ em, objects: deps.objects }, files);
    const projects = await readProjectsOfFolders(
      em,
      tenantId,
      files.map(({ folderId }) => folderId),
    );
    const items = files.map((file) =>
      presentFileItem(file, projects.get(file.folderId ?? '') ?? null, own.get(file.id) ?? NO_OWN_FIELDS),
    );
    return {
      items,
      total_count: page.totalCount,
      limit,
      offset,
      has_more: page.hasMore,
      next_cursor: page.nextCursor,
    };
  },
});

/** Called before an upload, to avoid duplicates. */
export const fileDuplicatesRoute = route({
  method: 'post',
  path: '/files/check-duplicates',
  operationId: 'checkDuplicates',
  summary: 'Check which hashes belong to existing files',
  tag: 'Files',
  permit: 'files.read',
  body: duplicatesBody,
  answers: { 200: duplicatesAnswer },
  handle: ({ em, principal, body }) => checkDuplicates(em, principal.tenantId, [...new Set(body.hashes)]),
  present: ({ duplicates, unique }) => ({
    duplicates: duplicates.map(({ hash, fileId, filename }) => ({ hash, file_id: fileId, filename })),
    unique,
  }),
});
