import type { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import { OPEN_STATUSES } from '../../domain/primary-status.ts';

/** The condition for files of an upload session whose processing has not ended; those in the trash do not count. */
export function openFilesOf({ id: sessionId, tenantId }: Pick<UploadSession, 'id' | 'tenantId'>) {
  return { sessionId, tenantId, deletedAt: null, primaryStatus: { $in: [...OPEN_STATUSES] } };
}
