import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import type { Components } from '../../domain/components.ts';
import { primaryStatus } from '../../domain/primary-status.ts';
import { dueSince } from '../shared/due.ts';

/** The columns that are set by an upload. */
type UploadedColumns =
  | 'id'
  | 'tenantId'
  | 'mediaType'
  | 'contentType'
  | 'format'
  | 'filename'
  | 'title'
  | 'tags'
  | 'contentCategory'
  | 'sizeBytes'
  | 'sha256'
  | 'objectKey'
  | 'options'
  | 'folderId'
  | 'sessionId'
  | 'sourceUrl'
  | 'parentFileId'
  | 'parentPages';

/** A file in its first generation, before any run: the row of a stored upload, or the preview of an announced one. */
export function newFile(
  uploaded: Pick<StoredFile, UploadedColumns>,
  components: Components,
  createdAt: Date,
): StoredFile {
  return {
    ...uploaded,
    duplicateOf: null,
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
    ...dueSince(createdAt),
    createdAt,
    updatedAt: createdAt,
    deletedAt: null,
    purgeAt: null,
    retainedFrom: null,
    hold: null,
  };
}
