import type { EntityManager } from '@mikro-orm/postgresql';
import { LockMode } from '@mikro-orm/core';
import { StoredFile } from '../db/entities/stored-file.ts';
import { reservationId } from '../domain/credits.ts';
import { applyFileEvent } from '../domain/file-events.ts';
import type { FileEvent } from '../domain/file-events.ts';
import { primaryStatus } from '../domain/primary-status.ts';
import { closeReservations } from './credits.ts';
import { LAST_SEQ } from './project-file.ts';

/**
 * Ends the files of a session that no run has touched yet, and refunds them. A run that is just starting finds its
 * row ended and touches nothing, see begin-file-work.ts.
 */
export async function stopUnstartedFiles(
  tx: EntityManager,
  sessionId: string,
  event: Extract<FileEvent, { type: 'run_cancelled' | 'run_ended_abnormally' }>,
): Promise<void> {
  const files = await tx.find(
    StoredFile,
    {
      sessionId,
      workflowStartedAt: null,
      deletedAt: null,
      primaryStatus: { $in: ['pending', 'processing'] },
    },
    { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: 'asc' }, refresh: true },
  );
  for (const file of files) {
    file.components = applyFileEvent(file.components, event);
    file.primaryStatus = primaryStatus(file.components);
    file.seq = LAST_SEQ;
    file.updatedAt = new Date();
  }
  await tx.flush();
  await closeReservations(
    tx,
    files.map(({ id, generation }) => reservationId(id, generation)),
    'refund',
  );
}
