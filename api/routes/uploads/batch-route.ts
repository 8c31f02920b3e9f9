import { TIER_LIMITS } from '../../../domain/accounts/tiers.ts';
import { json } from '../../http/responses.ts';
import { route } from '../../http/route.ts';
import { storeBatch } from '../../multipart/store-batch.ts';
import { presentBatch } from '../../resources/upload/present.ts';
import { batchAnswer, batchForm, batchFormDocument } from '../../resources/upload/schema.ts';
import { UPLOAD_ERRORS } from '../../multipart/read-upload-request.ts';

const RULES = { fields: new Set(Object.keys(batchForm.shape)), schema: batchForm };

/** Several files in one request, streamed sequentially; their processing starts automatically. */
export const batchUploadRoute = route({
  method: 'post',
  path: '/files/upload/batch',
  operationId: 'uploadBatch',
  summary: 'Upload several files in one request',
  tag: 'Uploads',
  permit: 'files.write',
  form: batchFormDocument,
  responses: json(201, batchAnswer),
  errors: [...UPLOAD_ERRORS, 'QUOTA_EXHAUSTED'],
  handle: (call) => storeBatch(call, RULES, TIER_LIMITS[call.principal.tier].filesPerBatch),
  present(batch, { ctx }) {
    ctx.status = 201;
    return presentBatch(batch);
  },
});
