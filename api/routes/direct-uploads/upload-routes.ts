import { abortUpload } from '../../../services/direct-uploads/abort-upload.ts';
import { completeUpload, COMPLETION_ERRORS } from '../../../services/direct-uploads/complete-upload.ts';
import {
  findUploadedFiles,
  findUpload,
  rejectClosedUpload,
  CLOSED_UPLOAD_ERRORS,
} from '../../../services/direct-uploads/find-upload.ts';
import { observeDirectUpload } from '../../../services/direct-uploads/observe-direct-upload.ts';
import { listOpenUploads, listParts } from '../../../services/direct-uploads/list-uploads.ts';
import { AppError } from '../../../domain/app-error.ts';
import { listPage } from '../../resources/fields.ts';
import { markProvisional } from '../../http/idempotent.ts';
import { route } from '../../http/route.ts';
import {
  presentCompleted,
  presentCreated,
  presentDirectUpload,
  presentPartUrls,
  presentRecord,
  progressPercent,
} from '../../resources/direct-upload/present.ts';
import {
  abortAnswer,
  abortQuery,
  completeAnswer,
  completeBody,
  directUploadAnswer,
  directUploadQuery,
  singleShotAnswer,
  uploadListAnswer,
  uploadListQuery,
  uploadParams,
  confirmAnswer,
  confirmBody,
  retryPartAnswer,
  retryPartBody,
} from '../../resources/direct-upload/schema.ts';
import { confirmPart, sizeOfPart } from '../../../services/direct-uploads/confirm-part.ts';

/** Direct uploads: list, status, completion and abort. */
export const directUploadRoutes = [
  route({
    method: 'get',
    path: '/files/direct-uploads',
    operationId: 'listDirectUploads',
    summary: 'List direct uploads that are not completed, newest first',
    tag: 'Direct uploads',
    permit: 'files.read',
    query: uploadListQuery,
    answers: { 200: uploadListAnswer },
    async handle({ em, principal, query }) {
      const { uploads, totalCount } = await listOpenUploads(em, principal.tenantId, query);
      return listPage(uploads.map(presentRecord), totalCount, query);
    },
  }),

  route({
    method: 'get',
    path: '/files/direct-uploads/:upload_id',
    operationId: 'getDirectUpload',
    summary: 'Status and parts of a direct upload',
    description:
      'To go on with an upload by its id alone: send the parts that are `missing`, with URLs of `parts/retry`, confirm those ' +
      'that are `stored`, then complete it. Follow `parts_after` while `has_more_parts` is true.',
    tag: 'Direct uploads',
    permit: 'files.read',
    params: uploadParams,
    query: directUploadQuery,
    answers: { 200: directUploadAnswer },
    errors: ['NOT_FOUND'],
    async handle({ em, deps, principal, params, query }) {
      const { objects, engine } = deps;
      const target = { uploadId: params.upload_id, tenantId: principal.tenantId };
      const progress = await observeDirectUpload({ em, objects, engine }, target);
      const { parts_after: after, parts_limit: limit } = query;
      return presentDirectUpload(
        progress,
        await listParts({ em, objects }, progress.upload, { after, limit }),
      );
    },
  }),

  route({
    method: 'post',
    path: '/files/direct-uploads/:upload_id/url',
    operationId: 'getUploadUrl',
    summary: 'URL of an upload in one PUT',
    description:
      'The URL and headers that the creation answered with, to go on with an upload by its id alone.',
    tag: 'Direct uploads',
    permit: 'files.write',
    params: uploadParams,
    answers: { 200: singleShotAnswer },
    errors: ['NOT_FOUND', 'WRONG_UPLOAD_MODE', ...CLOSED_UPLOAD_ERRORS],
    async handle({ em, deps, principal, params }) {
      const upload = await findUpload(em, { uploadId: params.upload_id, tenantId: principal.tenantId });
      rejectClosedUpload(upload);
      const created = await presentCreated(deps.objects, upload);
      if (created.upload_mode === 'single_shot') return created;
      throw new AppError('WRONG_UPLOAD_MODE', 'this upload is sent in parts; parts/retry has a URL for each');
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
      const upload = await completeUpload({ em, objects, engine }, { uploadId: params.upload_id, tenantId });
      const [file] = await findUploadedFiles(em, tenantId, [upload]);
      ctx.status = 202;
      if (!file) markProvisional(ctx);
      return presentCompleted(upload, file);
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
      const { upload, aborted } = await abortUpload(
        { em, engine: deps.engine },
        target,
        query.reason ?? null,
      );
      return { upload_id: upload.id, aborted, reason: upload.abortReason ?? null };
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
      const { upload, partsConfirmed } = await confirmPart(
        em,
        { uploadId: params.upload_id, tenantId: principal.tenantId },
        { partNumber: body.part_number, etag: body.etag, sizeBytes: body.size_bytes },
      );
      const totalParts = upload.totalParts ?? 0;
      return {
        upload_id: upload.id,
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
      const upload = await findUpload(em, target);
      rejectClosedUpload(upload);
      sizeOfPart(upload, body.part_number);
      const [fresh] = await presentPartUrls(deps.objects, upload, [body.part_number]);
      if (!fresh) throw new Error('a part that was asked for has no URL');
      return { upload_id: upload.id, ...fresh };
    },
  }),
];
