import { findVariants } from '../../../services/images/read-image.ts';
import { findFile, FILE_ERRORS } from '../../../services/files/find-file.ts';
import { findSimilar } from '../../../services/images/find-similar.ts';
import { route } from '../../http/route.ts';
import { fileParams } from '../../resources/file/schema.ts';
import { presentSimilar, similarAnswer, similarQuery } from '../../resources/similarity.ts';

export const fileSimilarRoute = route({
  method: 'get',
  path: '/files/:file_id/similar',
  operationId: 'findSimilarFiles',
  summary: 'Images similar to this one',
  tag: 'Similarity',
  permit: 'files.read',
  params: fileParams,
  query: similarQuery,
  answers: { 200: similarAnswer },
  errors: [...FILE_ERRORS, 'WRONG_MEDIA_TYPE', 'NOT_INDEXED'],
  async handle({ em, deps, principal, params, query }) {
    const file = await findFile(em, principal.tenantId, params.file_id);
    const found = await findSimilar({ em, ...(await deps.servedImages()) }, file, query.limit);
    const variants = await findVariants(
      em,
      found.map((similar) => similar.file),
    );
    const items = await Promise.all(found.map((similar) => presentSimilar(deps.objects, similar, variants)));
    return { reference_image_id: file.id, items, total_count: items.length };
  },
});
