import { TIER_LIMITS } from '../../../domain/accounts/tiers.ts';
import { json } from '../../http/responses.ts';
import { route } from '../../http/route.ts';
import { validateFields } from '../../http/validate.ts';
import { presentBatch } from '../../resources/upload-session/present.ts';
import { batchAnswer, batchForm, batchFormDocument } from '../../resources/upload-session/schema.ts';
import { storeBatch } from '../../multipart/store-batch.ts';

const FIELDS = new Set(Object.keys(batchForm.shape));

/** Many files in one request, streamed one after the other; their processing starts by itself. */
export const batchUploadRoute = route({
  method: 'post',
  path: '/files/upload/batch',
  operationId: 'uploadBatch',
  summary: 'Upload several files in one request',
  permission: 'EDIT',
  form: batchFormDocument,
  responses: json(201, batchAnswer),
  async handle(call) {
    const { sessionId, outcomes } = await storeBatch(call, {
      fields: FIELDS,
      readForm: (fields) => validateFields(batchForm, fields, 'form'),
      maxFiles: TIER_LIMITS[call.principal.tier].filesPerBatch,
    });
    call.ctx.status = 201;
    return presentBatch(sessionId, outcomes);
  },
});
