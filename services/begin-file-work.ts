import type { EntityManager } from '@mikro-orm/postgresql';
import { StoredFile } from '../db/entities/stored-file.ts';
import { isTerminalPrimary } from '../domain/primary-status.ts';
import { projectFile } from './project-file.ts';
import type { FileProjection } from './project-file.ts';

/**
 * The first write of a run, and its check that there is work at all.
 *
 * @returns the `seq` to count on from: the row's own, so that a run which was reset to its beginning goes on after
 *   what the row has seen. Undefined when the file is gone, is deleted, has a newer generation or has ended: the run
 *   must then end without touching anything
 */
export async function beginFileWork(
  em: EntityManager,
  { fileId, tenantId, generation, components }: Omit<FileProjection, 'seq'>,
): Promise<number | undefined> {
  const file = await em.findOne(StoredFile, { id: fileId, tenantId, generation, deletedAt: null });
  if (!file || isTerminalPrimary(file.primaryStatus)) return undefined;
  const seq = file.seq + 1;
  await projectFile(em, { fileId, tenantId, generation, seq, components });
  return seq;
}
