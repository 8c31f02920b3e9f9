import { changeFile } from '../../../services/files/change-file.ts';
import { findFile, FILE_ERRORS } from '../../../services/files/find-file.ts';
import { json } from '../../http/responses.ts';
import { route } from '../../http/route.ts';
import { PATCH_BYTES, patchAnswer, patchBody } from '../../resources/file/patch-schema.ts';
import { fileParams } from '../../resources/file/schema.ts';

/** User-editable metadata. */
export const filePatchRoute = route({
  method: 'patch',
  path: '/files/:file_id',
  operationId: 'changeFile',
  summary: 'Change title, tags or description, or move to another folder',
  tag: 'Files',
  permit: 'files.write',
  params: fileParams,
  body: patchBody,
  maxBodyBytes: PATCH_BYTES,
  responses: json(200, patchAnswer),
  errors: [...FILE_ERRORS, 'PROJECT_ARCHIVED'],
  async handle({ em, principal, params, body }) {
    const found = await findFile(em, principal.tenantId, params.file_id);
    const file = await changeFile(em, found, {
      ...(body.title !== undefined && { title: body.title || null }),
      ...(body.tags !== undefined && { tags: body.tags ?? [] }),
      ...(body.user_description !== undefined && { userDescription: body.user_description || null }),
      ...(body.folder_id !== undefined && { folderId: body.folder_id }),
    });
    return {
      id: file.id,
      title: file.title ?? file.filename,
      tags: file.tags,
      user_description: file.userDescription,
      upload_description: file.uploadDescription,
      folder_id: file.folderId ?? null,
      updated_at: file.updatedAt.toISOString(),
    };
  },
});
