import type { EntityManager } from '@mikro-orm/postgresql';
import type { ObjectStore } from '../../../adapters/object-store/object-store.ts';
import type { StoredFile } from '../../../db/entities/files/stored-file.ts';
import type { UploadIntent } from '../../../db/entities/uploads/upload-intent.ts';
import { initialComponents } from '../../../domain/components.ts';
import { applyFileEvent } from '../../../domain/file-events.ts';
import { primaryStatus } from '../../../domain/primary-status.ts';
import type { Engine } from '../../../temporal/client.ts';
import { findFile } from '../../files/find-file.ts';
import { findFileOrUpload } from '../../files/find-file-or-upload.ts';
import { observeFile, type FileObservation } from '../../processing/observe-file.ts';
import { declaredContent } from '../accepted-content.ts';
import { fileIdOf } from './find-upload.ts';
import { observeDirectUpload } from './observe-direct-upload.ts';

/**
 * Observes a file by its id. Clients of direct uploads know the id before the file exists: until then it is pending, or
 * failed if its upload has failed.
 *
 * @throws AppError NOT_FOUND, AMBIGUOUS_ID
 */
export async function observeFileOrUpload(
  deps: { em: EntityManager; objects: ObjectStore; engine: Engine },
  tenantId: string,
  id: string,
): Promise<FileObservation> {
  const found = await findFileOrUpload(deps.em, tenantId, id);
  if ('file' in found) return observeFile(deps, found.file);
  const { intent } = await observeDirectUpload(deps, { uploadId: found.uploading.id, tenantId });
  if (intent.status === 'COMPLETED')
    return observeFile(deps, await findFile(deps.em, tenantId, fileIdOf(intent)));
  return observation(intent);
}

function observation(upload: UploadIntent): FileObservation {
  const file = announcedFile(upload);
  const { components, primaryStatus } = file;
  return {
    file,
    components,
    primaryStatus,
    run: undefined,
    engine: 'reachable',
    upload,
    history: async () => undefined,
  };
}

function announcedFile(upload: UploadIntent): StoredFile {
  const { fileId: id, tenantId, filename, title, tags, contentCategory, sizeBytes, options } = upload;
  const folderId = upload.folderId ?? null;
  const { createdAt, updatedAt } = upload;
  const { contentType, mediaType, format } = declaredContent(upload.contentType);
  const expected = initialComponents(mediaType, { ...options, contentCategory });
  const reason = upload.error ?? { code: 'UPLOAD_FAILED', message: 'the upload has failed' };
  const components =
    upload.status === 'FAILED'
      ? applyFileEvent(expected, { type: 'run_ended_abnormally', at: updatedAt.toISOString(), reason })
      : expected;
  return {
    id,
    tenantId,
    mediaType,
    contentType,
    format,
    filename,
    title: title ?? null,
    tags,
    contentCategory,
    sizeBytes,
    options,
    folderId,
    sha256: upload.claimedSha256 ?? '',
    objectKey: upload.objectKey,
    sessionId: upload.sessionId ?? null,
    contentCreatedAt: null,
    visibleText: null,
    userDescription: null,
    uploadDescription: null,
    describedAt: null,
    complianceStatus: 'not_checked',
    generation: 1,
    retries: 0,
    seq: 0,
    runId: null,
    components,
    primaryStatus: primaryStatus(components),
    workflowStartedAt: null,
    engineDueAt: null,
    createdAt,
    updatedAt,
    deletedAt: null,
  };
}
