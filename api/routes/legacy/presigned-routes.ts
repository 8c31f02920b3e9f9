import { randomUUID } from 'node:crypto';
import { LEGACY_URL_SECONDS, PENDING_WINDOW_SECONDS } from '../../../domain/limits.ts';
import { storageTargetOf, uploadOfIncomingKey } from '../../../domain/object-keys.ts';
import { notFound } from '../../../domain/app-error.ts';
import { isDirectUploadOpen } from '../../../domain/uploads/direct-upload.ts';
import { apiKeyIdOf } from '../../../services/accounts/principal.ts';
import { chooseBucket } from '../../../services/storage/read-storage.ts';
import { BUCKET_FAILURES } from '../../../domain/bucket-failure.ts';
import { completeUpload, COMPLETION_ERRORS } from '../../../services/direct-uploads/complete-upload.ts';
import { createUpload } from '../../../services/direct-uploads/create-upload.ts';
import { findUploadedFiles } from '../../../services/direct-uploads/find-upload.ts';
import { startOrSignalDirectUpload } from '../../../services/direct-uploads/reconcile-direct-upload.ts';
import { route } from '../../http/route.ts';
import {
  presentConfirmed,
  presentPresigned,
  promisedFile,
} from '../../resources/presigned-upload/present.ts';
import {
  confirmUploadAnswer,
  confirmUploadBody,
  presignAnswer,
  presignBody,
  type PresignBody,
} from '../../resources/presigned-upload/schema.ts';

/** Direct uploads of older clients: one URL and no claimed hash. */
export const legacyPresignedRoutes = [
  route({
    method: 'post',
    path: '/uploads/request-presigned-url',
    operationId: 'legacyRequestPresignedUrl',
    summary: `Get an upload URL for one image, valid for ${LEGACY_URL_SECONDS / 60} minutes; now POST /files/direct-uploads`,
    tag: 'Legacy',
    deprecated: true,
    permit: 'files.write',
    idempotent: { keyIn: (body) => (body as PresignBody).idempotency_key ?? undefined },
    body: presignBody,
    answers: { 200: presignAnswer },
    errors: ['STORAGE_NOT_CONFIGURED', ...BUCKET_FAILURES, 'UNSUPPORTED_MEDIA', 'TOO_MANY_UPLOADS'],
    async handle({ em, deps, principal, body, resourceId, log }) {
      const { objects, engine } = deps;
      const promised = {
        ...promisedFile(body, '/body'),
        ...(await chooseBucket(em, principal.tenantId, body.storage_target ?? 'default')),
        apiKeyId: apiKeyIdOf(principal.credential),
      };
      const target = { uploadId: resourceId ?? randomUUID(), tenantId: principal.tenantId };
      const plan = { mode: 'single_shot' } as const;
      const upload = await createUpload({ em, objects }, target, promised, plan, PENDING_WINDOW_SECONDS);
      if (isDirectUploadOpen(upload.status)) await startOrSignalDirectUpload({ em, engine }, upload);
      log.info({ upload_id: upload.id, tenant_id: principal.tenantId, mode: upload.mode }, 'upload created');
      return {
        ...(await presentPresigned(objects, upload)),
        upload_id: upload.id,
        max_size_bytes: upload.sizeBytes,
        storage_target: storageTargetOf(upload.objectKey),
        bucket_name: await objects.bucketOf(upload.objectKey),
      };
    },
  }),

  route({
    method: 'post',
    path: '/uploads/confirm',
    operationId: 'legacyConfirmUpload',
    summary:
      'Verify the uploaded bytes and create the file; now POST /files/direct-uploads/{upload_id}/complete',
    cost: 'file',
    tag: 'Legacy',
    deprecated: true,
    permit: 'files.write',
    body: confirmUploadBody,
    answers: { 200: confirmUploadAnswer },
    errors: ['NOT_FOUND', ...BUCKET_FAILURES, ...COMPLETION_ERRORS],
    async handle({ em, deps: { objects, engine }, principal: { tenantId }, body }) {
      const uploadId = uploadOfIncomingKey(tenantId, body.object_key);
      if (uploadId === undefined) throw notFound('upload');
      const upload = await completeUpload(
        { em, objects, engine },
        { uploadId, tenantId },
        { sizeBytes: body.size_bytes, sha256: body.checksum ?? undefined },
      );
      const [file] = await findUploadedFiles(em, tenantId, [upload]);
      return presentConfirmed(objects, upload, file);
    },
  }),
];
