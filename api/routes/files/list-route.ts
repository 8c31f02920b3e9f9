import { FileVariant } from '../../../db/entities/file-variant.ts';
import { listFiles } from '../../../services/list-files.ts';
import { json } from '../../responses.ts';
import { route } from '../../route.ts';
import { fileList, listQuery } from './list-schema.ts';
import { presentFileItem } from './present.ts';

/** Finding files. */
export const fileListRoute = route({
  method: 'get',
  path: '/files',
  operationId: 'listFiles',
  summary: 'List files',
  permission: 'VIEW',
  query: listQuery,
  responses: json(200, fileList),
  async handle({ em, deps, principal, query }) {
    const { limit, offset } = query;
    const { files, totalCount } = await listFiles(em, principal.tenantId, {
      sortBy: query.sort_by,
      sortOrder: query.sort_order,
      limit,
      offset,
    });
    const variants = await em.find(FileVariant, { fileId: { $in: files.map(({ id }) => id) } });
    const items = await Promise.all(
      files.map((file) =>
        presentFileItem(
          deps.objects,
          file,
          variants.filter(({ fileId }) => fileId === file.id),
        ),
      ),
    );
    return { items, total_count: totalCount, limit, offset, has_more: offset + items.length < totalCount };
  },
});
