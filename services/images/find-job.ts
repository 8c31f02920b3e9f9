import type { EntityManager } from '@mikro-orm/postgresql';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import type { ImageImport } from '../../db/entities/uploads/image-import.ts';
import { AppError, notFound } from '../../domain/app-error.ts';
import type { Engine } from '../../temporal/client.ts';
import { findFile } from '../files/find-file.ts';
import { findImageImport } from '../image-imports/find-image-import.ts';
import { imageImportWork } from '../image-imports/image-import-work.ts';

/** The subject of a job: a file, or an image that is not stored, yet or ever. */
export type Job = { file: StoredFile } | { fetched: ImageImport };

/**
 * A job of the tenant. Its id is that of its file, even before that exists; the job of a fetched duplicate resolves to
 * the existing file.
 *
 * @throws AppError NOT_FOUND, also when that file was deleted; WORK_IN_PROGRESS for an upload that is not verified yet
 */
export async function findJob(
  deps: { em: EntityManager; engine: Engine },
  tenantId: string,
  jobId: string,
): Promise<Job> {
  const { em } = deps;
  const fetched = await findImageImport(em, { fileId: jobId, tenantId }).catch(unlessAbsent);
  if (fetched?.status === 'pending') await imageImportWork.reconcileIfReachable(deps, fetched);
  // Refreshed, since it may have ended meanwhile.
  const current = fetched && (await em.refreshOrFail(fetched));
  if (current && current.status !== 'completed') return { fetched: current };
  try {
    return { file: await findFile(em, tenantId, current?.duplicateOf ?? jobId) };
  } catch (error) {
    throw isAbsent(error) ? notFound('job') : error;
  }
}

function unlessAbsent(error: unknown): undefined {
  if (!isAbsent(error)) throw error;
}

function isAbsent(error: unknown): boolean {
  return error instanceof AppError && error.code === 'NOT_FOUND';
}
