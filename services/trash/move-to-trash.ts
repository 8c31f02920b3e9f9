import type { EntityManager } from '@mikro-orm/postgresql';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { reservationId, settlement } from '../../domain/accounts/credits.ts';
import { isTerminalPrimary, primaryStatus } from '../../domain/primary-status.ts';
import { notFound, AppError } from '../../domain/app-error.ts';
import { cutShort, isBusyDocument } from '../../domain/trash/trash.ts';
import { closeReservation } from '../accounts/credits.ts';
import { lockFile } from '../files/lock-file.ts';
import { LAST_SEQ } from '../processing/project-file.ts';

export type TrashedFile = StoredFile & { deletedAt: Date };

export interface Trashed {
  file: TrashedFile;
  /** False when it was in the trash before. */
  moved: boolean;
}

/**
 * Marks a file as deleted. What is under way for it is over in the same transaction: its components are closed with the
 * last word on their generation, so that no late writer opens them again, and its credits are settled, so that they come
 * back even when the engine never hears of it.
 *
 * @throws AppError NOT_FOUND for what is absent or foreign, WORK_IN_PROGRESS for a document that is being read
 */
export async function moveToTrash(em: EntityManager, tenantId: string, fileId: string): Promise<Trashed> {
  return em.transactional(async (tx) => {
    const file = await lockFile(tx, tenantId, fileId);
    if (!file) throw notFound('file');
    if (isTrashed(file)) return { file, moved: false };
    if (isBusyDocument(file)) {
      throw new AppError('WORK_IN_PROGRESS', 'the text of this document is being extracted or embedded');
    }
    const now = new Date();
    if (!isTerminalPrimary(file.primaryStatus)) {
      file.components = cutShort(file.components, now);
      file.primaryStatus = primaryStatus(file.components);
      file.seq = LAST_SEQ;
      await closeReservation(tx, reservationId(file.id, file.generation), settlement(file));
    }
    file.updatedAt = now;
    file.engineDueAt = now;
    return { file: Object.assign(file, { deletedAt: now }), moved: true };
  });
}

function isTrashed(file: StoredFile): file is TrashedFile {
  return Boolean(file.deletedAt);
}
