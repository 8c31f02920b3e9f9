import type { EntityManager } from '@mikro-orm/postgresql';
import { createHash, randomUUID } from 'node:crypto';
import { FileVariant } from '../../../db/entities/files/file-variant.ts';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import type { UploadIntent } from '../../../db/entities/uploads/upload-intent.ts';
import { uploadOfIncomingKey } from '../../../domain/object-keys.ts';
import { invalidField, AppError } from '../../../domain/app-error.ts';
import {
  confirmBatch,
  recoverBatch,
  type ConfirmedBatch,
  type FileConfirmation,
} from '../../../services/legacy-batches/confirm-batch.ts';
import { prepareBatch } from '../../../services/legacy-batches/prepare-batch.ts';
import { expireStaleBatches, listWaitingBatches } from '../../../services/legacy-batches/waiting-batches.ts';
import { json } from '../../http/responses.ts';
import { route } from '../../http/route.ts';
import { fileIdOf } from '../../resources/upload-intent/present.ts';
import {
  presentConfirmedBatch,
  presentPending,
  presentPrepared,
} from '../../resources/presigned-upload/present.ts';
import {
  cleanupAnswer,
  confirmBatchAnswer,
  confirmBatchBody,
  pendingBatches,
  prepareAnswer,
  prepareBody,
  recoverAnswer,
  type ConfirmBatchBody,
  type PrepareBody,
} from '../../resources/presigned-upload/schema.ts';
import { promisedFile } from '../../resources/presigned-upload/promised-file.ts';
import { batchParams } from './schema.ts';

/** Batches whose files are put straight into the store: sessions like those of streamed batches. */
export const legacyBatchRoutes = [
  route({
    method: 'post',
    path: '/uploads/batch-prepare',
    operationId: 'legacyPrepareBatch',
    summary: 'URLs for up to five files',
    permission: 'EDIT',
    idempotent: { keyIn: (body) => batchKey(body as PrepareBody) },
    body: prepareBody,
    responses: json(200, prepareAnswer),
    async handle({ em, deps, principal, body, resourceId, log }) {
      const { objects, engine, uploadMemory } = deps;
      const files = body.files.map((file, index) => promisedFile(file, `/body/files/${index}`));
      const batchId = resourceId ?? randomUUID();
      const { intents } = await prepareBatch(
        { em, objects, engine, uploadMemory },
        principal,
        batchId,
        files,
      );
      log.info({ session_id: batchId, tenant_id: principal.tenantId, files: files.length }, 'batch begun');
      return presentPrepared(objects, batchId, intents);
    },
  }),

  route({
    method: 'post',
    path: '/uploads/batch-confirm',
    operationId: 'legacyConfirmBatch',
    summary: 'Verify what was uploaded of a batch, and make files of it',
    permission: 'EDIT',
    body: confirmBatchBody,
    responses: json(200, confirmBatchAnswer),
    async handle({ em, deps: { objects, engine }, principal: { tenantId }, body }) {
      const target = { sessionId: body.batch_id, tenantId };
      const result = await confirmBatch({ em, objects, engine }, target, (intents) =>
        confirmations(tenantId, body, intents),
      );
      const { files, variants } = await filesOf(em, tenantId, result);
      return presentConfirmedBatch(objects, result, files, variants);
    },
  }),

  route({
    method: 'get',
    path: '/uploads/pending-batches',
    operationId: 'legacyListPendingBatches',
    summary: 'Batches of the last two hours that were never confirmed',
    permission: 'VIEW',
    responses: json(200, pendingBatches),
    async handle({ em, principal }) {
      return presentPending(await listWaitingBatches(em, principal.tenantId));
    },
  }),

  route({
    method: 'post',
    path: '/uploads/batch/:batch_id/auto-recover',
    operationId: 'legacyRecoverBatch',
    summary: 'Confirm what the store has of a batch',
    permission: 'EDIT',
    params: batchParams,
    responses: json(200, recoverAnswer),
    async handle({ em, deps: { objects, engine }, principal: { tenantId }, params }) {
      const answer = { batch_id: params.batch_id, recovered_files: 0, failed_files: 0 };
      try {
        const target = { sessionId: params.batch_id, tenantId };
        return { ...answer, ...recovered(await recoverBatch({ em, objects, engine }, target)) };
      } catch (error) {
        if (!(error instanceof AppError && error.code === 'NOT_FOUND')) throw error;
        return { ...answer, status: 'not_found', message: error.message };
      }
    },
  }),

  route({
    method: 'post',
    path: '/uploads/cleanup-stale-batches',
    operationId: 'legacyCleanUpBatches',
    summary: 'Expire batches that were not confirmed for half an hour',
    permission: 'EDIT',
    responses: json(200, cleanupAnswer),
    async handle({ em, deps: { engine }, principal }) {
      const count = await expireStaleBatches({ em, engine }, principal.tenantId);
      return { cleaned_count: count, message: count === 1 ? '1 batch expired' : `${count} batches expired` };
    },
  }),
];

/** A batch is repeated when each of its files is: they are made together. */
function batchKey({ files }: PrepareBody): string | undefined {
  const keys = files.map(({ idempotency_key: key }) => key);
  if (!keys.every((key) => key)) return undefined;
  return createHash('sha256').update(keys.join(' ')).digest('hex');
}

/** @throws AppError VALIDATION_FAILED for keys that are not of this batch, or come twice */
function confirmations(
  tenantId: string,
  body: ConfirmBatchBody,
  intents: UploadIntent[],
): FileConfirmation[] {
  const seen = new Set<string>();
  return body.confirmations.map((entry, index) => {
    const uploadId = uploadOfIncomingKey(tenantId, entry.object_key);
    const known = uploadId !== undefined && intents.some(({ id }) => id === uploadId);
    if (!known || seen.has(uploadId)) {
      const message = known ? 'comes twice' : 'is not of this batch';
      throw invalidField(`/body/confirmations/${index}/object_key`, message);
    }
    seen.add(uploadId);
    return {
      uploadId,
      success: entry.success,
      sizeBytes: entry.file_size ?? undefined,
      sha256: entry.checksum ?? undefined,
      errorMessage: entry.error_message ?? undefined,
      autoDescribe: body.auto_process,
    };
  });
}

async function filesOf(em: EntityManager, tenantId: string, { intents }: ConfirmedBatch) {
  const ids = intents.map(fileIdOf);
  const files = await em.find(StoredFile, { id: { $in: ids }, tenantId, deletedAt: null }, { refresh: true });
  const variants = await em.find(FileVariant, { fileId: { $in: ids }, type: 'small_256' });
  return { files, variants };
}

function recovered({ intents, confirmed }: ConfirmedBatch) {
  const open = intents.some(({ status }) => status === 'PENDING' || status === 'UPLOADED');
  if (confirmed.length === 0) {
    return open
      ? { status: 'nothing_to_recover', message: 'the store has none of these files' }
      : { status: 'already_processed', message: 'the uploads of this batch have ended before' };
  }
  const failed = confirmed.filter(({ status }) => status === 'FAILED').length;
  const found = confirmed.length - failed;
  return {
    recovered_files: found,
    failed_files: failed,
    status: 'recovered',
    message: `${found} of ${confirmed.length} files confirmed`,
  };
}
