import type { EntityManager } from '@mikro-orm/postgresql';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { isTerminalPrimary, primaryStatus } from '../../domain/primary-status.ts';
import { notFound } from '../../domain/app-error.ts';
import { cutShort, isBusy } from '../../domain/trash/trash.ts';
import { lockFile } from '../files/lock-file.ts';
import { LAST_SEQ } from '../processing/project-file.ts';
import { settleRun } from '../processing/settle-run.ts';
import { DocumentsBusy, isAmong, type RunPosition } from './busy-documents.ts';

export type TrashedFile = StoredFile & { deletedAt: Date };

export interface Trashed {
  file: TrashedFile;
  /** False when it was already in the trash. */
  moved: boolean;
}

/**
 * Marks a file as deleted. Its work in progress ends in the same transaction: its components are closed with the final
 * `seq` of their generation, so that no stale write reopens them, and its credits are settled, so that they are
 * refunded even if the engine is never notified.
 *
 * @param halted documents that are not being read, although their rows show them in progress; `all` to delete busy ones
 *   as well
 * @throws AppError NOT_FOUND for a file that is unknown or of another tenant; DocumentsBusy
 */
export async function moveToTrash(
  em: EntityManager,
  tenantId: string,
  fileId: string,
  halted: readonly RunPosition[] | 'all',
): Promise<Trashed> {
  return em.transactional(async (tx) => {
    const file = await lockFile(tx, tenantId, fileId);
    if (!file) throw notFound('file');
    if (isTrashed(file)) return { file, moved: false };
    if (halted !== 'all' && isBusy(file) && !isAmong(halted, file)) {
      throw new DocumentsBusy('the text of this document is being extracted or embedded', [file]);
    }
    const now = new Date();
    if (!isTerminalPrimary(file.primaryStatus)) {
      file.components = cutShort(file.components, now);
      file.primaryStatus = primaryStatus(file.components);
      file.seq = LAST_SEQ;
      const { generation, mediaType, components } = file;
      await settleRun(tx, { fileId, generation, mediaType, components });
    }
    file.updatedAt = now;
    file.engineDueAt = now;
    return { file: Object.assign(file, { deletedAt: now }), moved: true };
  });
}

function isTrashed(file: StoredFile): file is TrashedFile {
  return Boolean(file.deletedAt);
}
