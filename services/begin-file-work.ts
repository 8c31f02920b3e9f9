import type { EntityManager } from '@mikro-orm/postgresql';
import { StoredFile } from '../db/entities/stored-file.ts';
import { projectFile } from './project-file.ts';
import type { FileProjection } from './project-file.ts';

/**
 * The first write of a run, and its check that there is work at all.
 *
 * @returns false when the file is gone, is deleted, has a newer generation, or was closed from outside: the run must
 *   then end without touching anything
 */
export async function beginFileWork(em: EntityManager, projection: FileProjection): Promise<boolean> {
  await projectFile(em, projection);
  const { fileId, tenantId, generation, seq } = projection;
  // The same seq means that an attempt before this one wrote it and its answer got lost.
  return (await em.count(StoredFile, { id: fileId, tenantId, generation, seq, deletedAt: null })) === 1;
}
