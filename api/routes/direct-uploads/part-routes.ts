import { confirmPart, sizeOfPart } from '../../../services/uploads/direct/confirm-part.ts';
import {
  findUpload,
  rejectClosedUpload,
  CLOSED_UPLOAD_ERRORS,
} from '../../../services/uploads/direct/find-upload.ts';
import { json } from '../../http/responses.ts';
import { route } from '../../http/route.ts';
import { presentPartUrls, progressPercent } from '../../resources/upload-intent/present.ts';
import {
  confirmAnswer,
  confirmBody,
  retryPartAnswer,
  retryPartBody,
  uploadParams,
} from '../../resources/upload-intent/schema.ts';

/** The parts of a direct upload. */
export const uploadPartRoutes = [
  route({
    method: 'post',
    path: '/files/direct-uploads/:upload_id/parts/confirm',
    operationId: 'confirmUploadPart',
    summary: 'Confirm a part that was uploaded to the store',
    tag: 'Direct uploads',
    permit: 'files.write',
    params: uploadParams,
    body: confirmBody,
    responses: json(200, confirmAnswer),
    errors: ['NOT_FOUND', 'WRONG_UPLOAD_MODE', 'WORK_IN_PROGRESS', ...CLOSED_UPLOAD_ERRORS],
    async handle({ em, principal, params, body }) {
      const { intent, partsConfirmed } = await confirmPart(
        em,
        { uploadId: params.upload_id, tenantId: principal.tenantId },
        { partNumber: body.part_number, etag: body.etag, sizeBytes: body.size_bytes },
      );
      const totalParts = intent.totalParts ?? 0;
      return {
        upload_id: intent.id,
        part_number: body.part_number,
        parts_confirmed: partsConfirmed,
        total_parts: totalParts,
        progress_percent: progressPercent(partsConfirmed, totalParts),
      };
    },
  }),

  route({
    method: 'post',
    path: '/files/direct-uploads/:upload_id/parts/retry',
    operationId: 'retryUploadPart',
    summary: 'New URL for a part',
    tag: 'Direct uploads',
    permit: 'files.write',
    params: uploadParams,
    body: retryPartBody,
    responses: json(200, retryPartAnswer),
    errors: ['NOT_FOUND', 'WRONG_UPLOAD_MODE', ...CLOSED_UPLOAD_ERRORS],
    async handle({ em, deps, principal, params, body }) {
      const target = { uploadId: params.upload_id, tenantId: principal.tenantId };
      const intent = await findUpload(em, target);
      rejectClosedUpload(intent);
      sizeOfPart(intent, body.part_number);
      const [fresh] = await presentPartUrls(deps.objects, intent, [body.part_number]);
      return { upload_id: intent.id, ...fresh };
    },
  }),
];
