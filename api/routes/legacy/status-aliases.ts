import { z } from 'zod';
import { alias, renameSchema } from '../../http/alias.ts';
import { stuckAnswer, uploadStatus } from '../../resources/processing/schema.ts';
import { uploadStatusRoute } from '../processing/status-routes.ts';
import { fileStuckRoute } from '../processing/stuck-route.ts';

const NAMES = {
  file_id: 'image_id',
  session_id: 'batch_id',
  upload_status: 'upload_intent_status',
  processing_status: 'task_intent_status',
  processing_ids: 'task_intent_ids',
};
const status = uploadStatus.extend({ tenant_id: z.uuid().describe('Id of the account') });
const legacyStatus = renameSchema(status, NAMES).meta({ id: 'LegacyUploadStatus' });

/** Status of files, with the field names of older clients. */
export const legacyStatusAliases = [
  alias(uploadStatusRoute, {
    path: '/uploads/status/:image_id',
    operationId: 'legacyGetUploadStatus',
    summary: 'Status of one image from upload to end',
    rename: NAMES,
    answer: status,
    present: (answer, _result, { principal }) => ({ ...answer, tenant_id: principal.tenantId }),
  }),

  alias(fileStuckRoute, {
    path: '/uploads/stuck-uploads',
    operationId: 'legacyListStuckUploads',
    summary: 'Unfinished images without a sign of life',
    rename: NAMES,
    answer: stuckAnswer.extend({ images: z.array(legacyStatus).describe('The stuck files') }),
    present: (answer, _result, { principal }) => ({
      ...answer,
      images: answer.images.map((image) => ({ ...image, tenant_id: principal.tenantId })),
    }),
  }),
];
