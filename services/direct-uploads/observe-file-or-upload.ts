import type { EntityManager } from '@mikro-orm/postgresql';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import type { DirectUpload } from '../../db/entities/uploads/direct-upload.ts';
import { initialComponents } from '../../domain/components.ts';
import { applyFileEvent } from '../../domain/file-events.ts';
import type { Engine } from '../../temporal/client.ts';
import { findFile, findFileOrUpload } from '../files/find-file.ts';
import { newFile } from '../files/new-file.ts';
import { observeFile, type FileObservation } from '../processing/observe-file.ts';
import { expectedContent } from '../uploads/accepted-content.ts';
import { fileIdOf } from './find-upload.ts';
import { observeDirectUpload } from './observe-direct-upload.ts';
import { NOT_DUE } from '../shared/due.ts';

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
  const { upload } = await observeDirectUpload(deps, { uploadId: found.uploading.id, tenantId });
  if (upload.status === 'COMPLETED')
    return observeFile(deps, await findFile(deps.em, tenantId, fileIdOf(upload)));
  return observation(upload);
}

function observation(upload: DirectUpload): FileObservation {
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

/** What only links and parts of files have. */
const NO_SOURCE = { sourceUrl: null, parentFileId: null, parentPages: null };

function announcedFile(upload: DirectUpload): StoredFile {
  const { fileId: id, tenantId, filename, tags, contentCategory, sizeBytes, options, objectKey } = upload;
  const { createdAt, updatedAt } = upload;
  const content = expectedContent(upload);
  const expected = initialComponents(content.mediaType, { ...options, contentCategory });
  const reason = upload.error ?? { code: 'UPLOAD_FAILED', message: 'the upload has failed' };
  const components =
    upload.status === 'FAILED'
      ? applyFileEvent(expected, { type: 'run_ended_abnormally', at: updatedAt.toISOString(), reason })
      : expected;
  const title = upload.title ?? null;
  const folderId = upload.folderId ?? null;
  const sessionId = upload.sessionId ?? null;
  const sha256 = upload.claimedSha256 ?? '';
  const announced = { id, tenantId, ...content, filename, title, tags, contentCategory, sizeBytes, sha256 };
  const file = newFile(
    { ...announced, objectKey, options, folderId, sessionId, ...NO_SOURCE },
    components,
    createdAt,
  );
  return { ...file, ...NOT_DUE, updatedAt };
}
