import { TIER_LIMITS } from '../../../domain/accounts/tiers.ts';
import { findFile } from '../../../services/files/find-file.ts';
import { json } from '../../http/responses.ts';
import { route } from '../../http/route.ts';
import { validateFields } from '../../http/validate.ts';
import { fileDetail } from '../../../services/processing/read-file-detail.ts';
import { storeUpload } from '../../multipart/store-upload.ts';
import { storeBatch } from '../../multipart/store-batch.ts';
import { presentLegacyBatch, presentLegacyDetail, presentLegacyUpload } from './present.ts';
import {
  imageParams,
  LEGACY_BATCH_FIELDS,
  legacyBatchAnswer,
  legacyBatchDocument,
  legacyBatchForm,
  legacyImageDetail,
  legacyUploadAnswer,
  legacyUploadDocument,
  legacyUploadForm,
} from './schema.ts';

const FIELDS = new Set(Object.keys(legacyUploadForm.shape));

/** Streamed uploads as older clients send them, and the file that comes of them. */
export const legacyStreamRoutes = [
  route({
    method: 'post',
    path: '/user-files/upload/stream',
    operationId: 'legacyUploadFile',
    summary: 'Upload one file; now POST /files/upload',
    permission: 'EDIT',
    form: legacyUploadDocument,
    responses: json(201, legacyUploadAnswer),
    async handle(call) {
      const answered = await storeUpload(call, FIELDS);
      call.ctx.status = 201;
      return presentLegacyUpload(answered);
    },
  }),

  route({
    method: 'post',
    path: '/user-files/upload/stream-batch',
    operationId: 'legacyUploadBatch',
    summary: 'Upload several files in one request; now POST /files/upload/batch',
    permission: 'EDIT',
    form: legacyBatchDocument,
    responses: json(201, legacyBatchAnswer),
    async handle(call) {
      const { sessionId, outcomes } = await storeBatch(call, {
        fields: LEGACY_BATCH_FIELDS,
        readForm: (fields) => validateFields(legacyBatchForm, fields, 'form'),
        maxFiles: TIER_LIMITS[call.principal.tier].filesPerLegacyBatch,
      });
      call.ctx.status = 201;
      return presentLegacyBatch(sessionId, outcomes);
    },
  }),

  route({
    method: 'get',
    path: '/user-files/:image_id',
    operationId: 'legacyGetImage',
    summary: 'One file, to poll its description_status; now GET /files/{file_id}',
    permission: 'VIEW',
    params: imageParams,
    responses: json(200, legacyImageDetail),
    async handle({ em, deps, principal, params }) {
      const file = await findFile(em, principal.tenantId, params.image_id);
      return presentLegacyDetail(await fileDetail({ em, deps }, file), file);
    },
  }),
];
