import type { EntityManager } from '@mikro-orm/postgresql';
import { FileTimeline } from '../db/entities/file-timeline.ts';
import { StoredFile } from '../db/entities/stored-file.ts';
import { reservationId, settlement } from '../domain/credits.ts';
import type { TimelineRun } from '../domain/timeline.ts';
import { closeReservation } from './credits.ts';
import { projectFile } from './project-file.ts';
import type { FileProjection } from './project-file.ts';

/**
 * Records the end of a run, whoever brings it, the workflow or the reconciler: last projection, timeline and the
 * settled reservation in one transaction. Safe to repeat.
 */
export async function endFileRun(
  em: EntityManager,
  projection: FileProjection,
  run: TimelineRun,
): Promise<void> {
  await em.transactional(async (tx) => {
    const { fileId, tenantId, generation, components } = projection;
    await projectFile(tx, projection);
    const exists = await tx.count(StoredFile, { id: fileId, tenantId });
    if (exists === 0) return;
    await tx.upsert(FileTimeline, { fileId, generation, run });
    await closeReservation(tx, reservationId(fileId, generation), settlement(components));
  });
}
