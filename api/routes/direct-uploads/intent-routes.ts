import { abortUpload } from '../../../services/uploads/direct/abort-upload.ts';
import { completeUpload, COMPLETION_ERRORS } from '../../../services/uploads/direct/complete-upload.ts';
import { findUploadedFiles } from '../../../services/uploads/direct/find-upload.ts';
import { observeDirectUpload } from '../../../services/uploads/direct/observe-direct-upload.ts';
import { markProvisional } from '../../http/idempotent.ts';
import { json } from '../../http/responses.ts';
import { route } from '../../http/route.ts';
import { presentCompleted, presentIntent } from '../../resources/upload-intent/present.ts';
import {
  abortAnswer,
  abortQuery,
  completeAnswer,
  completeBody,
  intentAnswer,
  uploadParams,
} from '../../resources/upload-intent/schema.ts';

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
    responses: json(200, intentAnswer),
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
    tag: 'Direct uploads',
    permit: 'files.write',
    idempotent: true,
    params: uploadParams,
    body: completeBody,
    responses: json(202, completeAnswer),
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
    responses: json(200, abortAnswer),
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
