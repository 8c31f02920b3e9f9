import { z } from 'zod';
import { findFileOrUpload } from '../../../services/files/find-file-or-upload.ts';
import { alias, renameFields, renameSchema } from '../../http/alias.ts';
import { json } from '../../http/responses.ts';
import { route } from '../../http/route.ts';
import { presentUploadingImage } from '../../resources/presigned-upload/present.ts';
import { presentUploadStatus } from '../../resources/processing/present.ts';
import { stuckAnswer, uploadStatus, uploadStatusQuery } from '../../resources/processing/schema.ts';
import { fileIdParam } from '../../resources/fields.ts';
import { uploadStatusRoute } from '../processing/status-routes.ts';
import { fileStuckRoute } from '../processing/stuck-route.ts';
import { FILE_ERRORS } from '../../../services/files/find-file.ts';

const NAMES = {
  file_id: 'image_id',
  session_id: 'batch_id',
  upload_status: 'upload_intent_status',
  processing_status: 'task_intent_status',
  processing_ids: 'task_intent_ids',
};
/** Before its fields are renamed. */
const status = uploadStatus.extend({
  tenant_id: z.uuid(),
  component_statuses: uploadStatus.shape.component_statuses.extend({
    upload_status: z.enum(['pending', 'processing', 'completed', 'failed']),
  }),
});
const legacyStatus = renameSchema(status, NAMES).meta({ id: 'LegacyUploadStatus' });

/** Status of files, with the field names of older clients. */
export const legacyStatusAliases = [
  // Not an alias: these clients poll the id of an image before its file exists.
  route({
    method: 'get',
    path: '/uploads/status/:image_id',
    operationId: 'legacyGetUploadStatus',
    summary: 'Status of one image from upload to end; now GET /files/uploads-status/{file_id}',
    tag: 'Processing',
    deprecated: true,
    permission: 'VIEW',
    params: z.object({ image_id: fileIdParam }),
    query: uploadStatusQuery,
    responses: json(200, legacyStatus),
    errors: [...FILE_ERRORS],
    async handle(call) {
      const { em, principal, params } = call;
      const found = await findFileOrUpload(em, principal.tenantId, params.image_id);
      if ('uploading' in found) return presentUploadingImage(found.uploading);
      const read = await uploadStatusRoute.handle({ ...call, params: { file_id: found.file.id } });
      return renameFields({ ...presentUploadStatus(read), tenant_id: principal.tenantId }, NAMES);
    },
  }),

  alias(fileStuckRoute, {
    path: '/uploads/stuck-uploads',
    operationId: 'legacyListStuckUploads',
    summary: 'Unfinished images without a sign of life',
    rename: NAMES,
    answer: stuckAnswer.extend({ images: z.array(legacyStatus) }),
    present: (answer, _result, { principal }) => ({
      ...answer,
      images: answer.images.map((image) => ({ ...image, tenant_id: principal.tenantId })),
    }),
  }),
];
