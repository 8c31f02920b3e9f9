import { abortUpload } from '../../../services/uploads/direct/abort-upload.ts';
import { completeUpload, COMPLETION_ERRORS } from '../../../services/uploads/direct/complete-upload.ts';
import {
  findUploadedFiles,
  findUpload,
  rejectClosedUpload,
  CLOSED_UPLOAD_ERRORS,
} from '../../../services/uploads/direct/find-upload.ts';
import { observeDirectUpload } from '../../../services/uploads/direct/observe-direct-upload.ts';
import { markProvisional } from '../../http/idempotent.ts';
import { route } from '../../http/route.ts';
import {
  presentCompleted,
  presentIntent,
  presentPartUrls,
  progressPercent,
} from '../../resources/upload-intent/present.ts';
import {
  abortAnswer,
  abortQuery,
  completeAnswer,
  completeBody,
  intentAnswer,
  uploadParams,
  confirmAnswer,
  confirmBody,
  retryPartAnswer,
  retryPartBody,
} from '../../resources/upload-intent/schema.ts';
import { confirmPart, sizeOfPart } from '../../../services/uploads/direct/confirm-part.ts';

/** One direct upload: status, completion and abort. */
export const uploadIntentRoutes = [
  route({
    method: 'get',
    path: '/files/direct-uploads/:upload_id',
    operationId: 'getDirectUpload',
    summary: 'Status of a direct upload',
    tag: 'Direct uploads',
    permit: 'files.read',
    params: uploadParams,
    answers: { 200: intentAnswer },
    errors: ['NOT_FOUND'],
    async handle({ em, deps, principal, params }) {
      const { objects, engine } = deps;
      const target = { uploadId: params.upload_id, tenantId: principal.tenantId };
      const { intent, partsConfirmed } = await observeDirectUpload({ em, objects, engine }, target);
      return presentIntent(intent, partsConfirmed);
    },
  }),

  route({
    method: 'post',
    path: '/files/direct-uploads/:upload_id/complete',
    operationId: 'completeDirectUpload',
    summary: 'Verify the uploaded bytes and create the file',
    description:
      'Verifies size and SHA-256 of the bytes in the object store and creates the file. Repeating it is ' +
      'safe.',
    accepted:
      'the bytes are being verified, or the file is being processed. Call it again, or poll `GET ' +
      '/files/direct-uploads/{upload_id}` until `file_id` is set, then `GET /files/{file_id}`.',
    cost: 'file',
    tag: 'Direct uploads',
    permit: 'files.write',
    idempotent: true,
    params: uploadParams,
    body: completeBody,
    answers: { 202: completeAnswer },
    errors: ['NOT_FOUND', ...COMPLETION_ERRORS],
    async handle({ ctx, em, deps, principal, params }) {
      const { objects, engine } = deps;
      const { tenantId } = principal;
      const intent = await completeUpload({ em, objects, engine }, { uploadId: params.upload_id, tenantId });
      const [file] = await findUploadedFiles(em, tenantId, [intent]);
      ctx.status = 202;
      if (!file) markProvisional(ctx);
      return presentCompleted(intent, file);
    },
  }),

  route({
    method: 'delete',
    path: '/files/direct-uploads/:upload_id',
    operationId: 'abortDirectUpload',
    summary: 'Abort a direct upload',
    tag: 'Direct uploads',
    permit: 'files.write',
    params: uploadParams,
    query: abortQuery,
    answers: { 200: abortAnswer },
    errors: ['NOT_FOUND'],
    async handle({ em, deps, principal, params, query }) {
      const target = { uploadId: params.upload_id, tenantId: principal.tenantId };
      const { intent, aborted } = await abortUpload(
        { em, engine: deps.engine },
        target,
        query.reason ?? null,
      );
      return { upload_id: intent.id, aborted, reason: intent.abortReason ?? null };
    },
  }),
];

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
    answers: { 200: confirmAnswer },
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
    answers: { 200: retryPartAnswer },
    errors: ['NOT_FOUND', 'WRONG_UPLOAD_MODE', ...CLOSED_UPLOAD_ERRORS],
    async handle({ em, deps, principal, params, body }) {
      const target = { uploadId: params.upload_id, tenantId: principal.tenantId };
      const intent = await findUpload(em, target);
      rejectClosedUpload(intent);
      sizeOfPart(intent, body.part_number);
      const [fresh] = await presentPartUrls(deps.objects, intent, [body.part_number]);
      if (!fresh) throw new Error('a part that was asked for has no URL');
      return { upload_id: intent.id, ...fresh };
    },
  }),
];
