import { checkDuplicates } from '../../../services/files/check-duplicates.ts';
import { json } from '../../http/responses.ts';
import { route } from '../../http/route.ts';
import { duplicatesAnswer, duplicatesBody } from '../../resources/file/duplicates-schema.ts';

/** Called before an upload, to avoid duplicates. */
export const fileDuplicatesRoute = route({
  method: 'post',
  path: '/files/check-duplicates',
  operationId: 'checkDuplicates',
  summary: 'Check which hashes belong to existing files',
  tag: 'Files',
  permit: 'files.read',
  body: duplicatesBody,
  responses: json(200, duplicatesAnswer),
  handle: ({ em, principal, body }) => checkDuplicates(em, principal.tenantId, [...new Set(body.hashes)]),
  present: ({ duplicates, unique }) => ({
    duplicates: duplicates.map(({ hash, fileId, filename }) => ({ hash, file_id: fileId, filename })),
    unique,
  }),
});
