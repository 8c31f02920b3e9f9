import { randomUUID } from 'node:crypto';
import { cleanFilename } from '../../../domain/text.ts';
import { invalidField } from '../../../domain/app-error.ts';
import { isDirectUploadOpen } from '../../../domain/uploads/direct-upload.ts';
import { planUpload, type UploadPlan } from '../../../domain/uploads/upload-plan.ts';
import {
  resolveDestination,
  ROOT_DESTINATION,
  type Destination,
} from '../../../services/files/folders/resolve-destination.ts';
import { apiKeyIdOf } from '../../../services/accounts/principal.ts';
import { expectedContent } from '../../../services/uploads/accepted-content.ts';
import { createUpload, type PromisedFile } from '../../../services/direct-uploads/create-upload.ts';
import { isAnnounced } from '../../../services/direct-uploads/find-upload.ts';
import { startOrSignalDirectUpload } from '../../../services/direct-uploads/reconcile-direct-upload.ts';
import { route } from '../../http/route.ts';
import { requireSchema } from '../../resources/upload/require-schema.ts';
import { toUploadAttributes } from '../../resources/upload/to-upload-attributes.ts';
import { presentCreated } from '../../resources/direct-upload/present.ts';
import { presentRequestWebhook, requestWebhookOf } from '../../resources/request-webhook.ts';
import { createAnswer, createBody, type CreateBody } from '../../resources/direct-upload/schema.ts';

/** Announces a file for upload directly to the object store, and returns the URLs. */
export const uploadCreateRoute = route({
  method: 'post',
  path: '/files/direct-uploads',
  operationId: 'createDirectUpload',
  summary: 'Start a direct upload',
  description:
    'Announces a file that goes straight to the object store, in one PUT or in parts, up to 5 TB. Send ' +
    'the bytes to the URLs of the answer, then complete the upload. The content is verified against ' +
    '`claimed_file_hash`.',
  tag: 'Direct uploads',
  permit: 'files.write',
  idempotent: true,
  body: createBody,
  answers: { 201: createAnswer },
  errors: [
    'NOT_FOUND',
    'PROJECT_ARCHIVED',
    'CUSTOM_SCHEMA_NOT_FOUND',
    'UNSUPPORTED_MEDIA',
    'TOO_MANY_UPLOADS',
  ],
  async handle(call) {
    const { ctx, em, deps, principal, body, resourceId, log } = call;
    const { objects, engine } = deps;
    const target = { uploadId: resourceId ?? randomUUID(), tenantId: principal.tenantId };
    // A repeat gets the same answer, even if the folder has been deleted since.
    const destination = (await isAnnounced(em, target))
      ? ROOT_DESTINATION
      : await resolveDestination(em, principal.tenantId, {
          folderId: body.folder_id,
          projectId: body.project_id,
        });
    const schemaId = (await isAnnounced(em, target))
      ? undefined
      : await requireSchema(em, principal.tenantId, body.custom_schema_id);
    const promised = {
      ...promisedFile(body, destination, schemaId),
      apiKeyId: apiKeyIdOf(principal.credential),
      webhook: requestWebhookOf(call, body, 'body'),
    };
    const plan = planned(body);
    const upload = await createUpload({ em, objects }, target, promised, plan, deps.directUploadSeconds);
    if (isDirectUploadOpen(upload.status)) await startOrSignalDirectUpload({ em, engine }, upload);
    log.info({ upload_id: upload.id, tenant_id: principal.tenantId, mode: upload.mode }, 'upload created');
    ctx.status = 201;
    const webhook = await presentRequestWebhook(call, body, 'file', upload.fileId);
    return { ...(await presentCreated(objects, upload)), ...webhook };
  },
});

function promisedFile(
  body: CreateBody,
  destination: Destination,
  schemaId: string | undefined,
): PromisedFile {
  const { contentType, mediaType } = expectedContent({
    contentType: body.content_type,
    filename: body.filename,
  });
  return {
    filename: cleanFilename(body.filename),
    contentType,
    mediaType,
    sizeBytes: body.size_bytes,
    claimedSha256: body.claimed_file_hash,
    ...toUploadAttributes(body, destination, schemaId),
  };
}

function planned(body: CreateBody): UploadPlan {
  const plan = planUpload({
    sizeBytes: body.size_bytes,
    mode: body.upload_mode,
    partSizeBytes: body.part_size_bytes,
  });
  if (!('problem' in plan)) return plan;
  throw invalidField(`/body/${plan.problem.field}`, plan.problem.message);
}
