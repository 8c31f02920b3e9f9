import { createHash, randomUUID } from 'node:crypto';
import { AppError } from '../../../domain/app-error.ts';
import { findVariants } from '../../../services/images/read-image.ts';
import { confirmBatch, recoverBatch } from '../../../services/legacy-batches/confirm-batch.ts';
import { prepareBatch } from '../../../services/legacy-batches/prepare-batch.ts';
import { expireStaleBatches, listWaitingBatches } from '../../../services/legacy-batches/waiting-batches.ts';
import { findUploadedFiles } from '../../../services/direct-uploads/find-upload.ts';
import { route } from '../../http/route.ts';
import {
  presentConfirmedBatch,
  presentPending,
  presentPrepared,
  presentRecovered,
  toConfirmations,
  promisedFile,
} from '../../resources/presigned-upload/present.ts';
import {
  batchParams,
  cleanupAnswer,
  confirmBatchAnswer,
  confirmBatchBody,
  pendingBatches,
  prepareAnswer,
  prepareBody,
  recoverAnswer,
  type PrepareBody,
} from '../../resources/presigned-upload/schema.ts';

/** Batches uploaded directly to the store; they are upload sessions. */
export const legacyBatchRoutes = [
  route({
    method: 'post',
    path: '/uploads/batch-prepare',
    operationId: 'legacyPrepareBatch',
    summary: 'Upload URLs for up to five files',
    cost: 'file',
    tag: 'Legacy',
    deprecated: true,
    permit: 'files.write',
    idempotent: { keyIn: (body) => batchKey(body as PrepareBody) },
    body: prepareBody,
    answers: { 200: prepareAnswer },
    errors: [
      'STORAGE_NOT_CONFIGURED',
      'UNSUPPORTED_MEDIA',
      'QUOTA_EXHAUSTED',
      'TOO_MANY_BATCHES',
      'TOO_MANY_UPLOADS',
    ],
    async handle({ em, deps, principal, body, resourceId, log }) {
      const { objects, engine, uploadMemory } = deps;
      // "Custom storage is unsupported for batches."
      if (body.files.some(({ storage_target: target }) => target === 'custom')) {
        throw new AppError('STORAGE_NOT_CONFIGURED', 'presigned batches can only go to the default storage');
      }
      const files = body.files.map((file, index) => promisedFile(file, `/body/files/${index}`));
      const batchId = resourceId ?? randomUUID();
      const { uploads } = await prepareBatch(
        { em, objects, engine, uploadMemory },
        principal,
        batchId,
        files,
      );
      log.info({ session_id: batchId, tenant_id: principal.tenantId, files: files.length }, 'batch created');
      return presentPrepared(objects, batchId, uploads);
    },
  }),

  route({
    method: 'post',
    path: '/uploads/batch-confirm',
    operationId: 'legacyConfirmBatch',
    summary: 'Verify the uploads of a batch and create its files',
    tag: 'Legacy',
    deprecated: true,
    permit: 'files.write',
    body: confirmBatchBody,
    answers: { 200: confirmBatchAnswer },
    errors: ['NOT_FOUND', 'CONFIRMATION_IN_PROGRESS'],
    async handle({ em, deps: { objects, engine }, principal: { tenantId }, body }) {
      const target = { sessionId: body.batch_id, tenantId };
      const result = await confirmBatch({ em, objects, engine }, target, (uploads) =>
        toConfirmations(tenantId, body, uploads),
      );
      const files = await findUploadedFiles(em, tenantId, result.uploads);
      const variants = await findVariants(em, files, 'small_256');
      return presentConfirmedBatch(objects, result, files, variants);
    },
  }),

  route({
    method: 'get',
    path: '/uploads/pending-batches',
    operationId: 'legacyListPendingBatches',
    summary: 'Batches of the last two hours that were never confirmed',
    tag: 'Legacy',
    deprecated: true,
    permit: 'files.read',
    answers: { 200: pendingBatches },
    async handle({ em, principal }) {
      return presentPending(await listWaitingBatches(em, principal.tenantId));
    },
  }),

  route({
    method: 'post',
    path: '/uploads/batch/:batch_id/auto-recover',
    operationId: 'legacyRecoverBatch',
    summary: 'Confirm the files of a batch that are in the store',
    tag: 'Legacy',
    deprecated: true,
    permit: 'files.write',
    params: batchParams,
    answers: { 200: recoverAnswer },
    errors: ['CONFIRMATION_IN_PROGRESS'],
    async handle({ em, deps: { objects, engine }, principal: { tenantId }, params }) {
      const answer = { batch_id: params.batch_id, recovered_files: 0, failed_files: 0 };
      try {
        const target = { sessionId: params.batch_id, tenantId };
        return { ...answer, ...presentRecovered(await recoverBatch({ em, objects, engine }, target)) };
      } catch (error) {
        if (!(error instanceof AppError && error.code === 'NOT_FOUND')) throw error;
        return { ...answer, status: 'not_found' as const, message: error.message };
      }
    },
  }),

  route({
    method: 'post',
    path: '/uploads/cleanup-stale-batches',
    operationId: 'legacyCleanUpBatches',
    summary: 'Expire batches that were not confirmed within half an hour',
    tag: 'Legacy',
    deprecated: true,
    permit: 'files.write',
    answers: { 200: cleanupAnswer },
    async handle({ em, deps: { engine }, principal }) {
      const count = await expireStaleBatches({ em, engine }, principal.tenantId);
      return { cleaned_count: count, message: count === 1 ? '1 batch expired' : `${count} batches expired` };
    },
  }),
];

/** The idempotency key of a batch, present if each of its files has one, since they are created together. */
function batchKey({ files }: PrepareBody): string | undefined {
  const keys = files.map(({ idempotency_key: key }) => key);
  if (!keys.every((key) => key)) return undefined;
  return createHash('sha256').update(keys.join(' ')).digest('hex');
}
