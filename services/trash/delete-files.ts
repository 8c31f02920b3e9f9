import type { EntityManager } from '@mikro-orm/postgresql';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { notFound, AppError } from '../../domain/app-error.ts';
import type { Engine } from '../../temporal/client.ts';
import { moveToTrash, type Trashed, type TrashedFile } from './move-to-trash.ts';
import { reconcileFileIfReachable } from '../processing/reconcile-file.ts';
import { createFindHalted, unlessBusy, type FindHalted } from './busy-documents.ts';

export interface DeleteDeps {
  em: EntityManager;
  engine: Engine;
}

/** The outcome for one file of a batch: it is in the trash, or why it is not. */
export type Deletion =
  | { id: string; outcome: 'deleted' | 'deleted_before'; deletedAt: Date }
  | { id: string; outcome: 'refused'; reason: string };

/**
 * Moves a live file to the trash, stops its work and removes it from the similarity index.
 *
 * @throws AppError NOT_FOUND, also for a file that is already in the trash; WORK_IN_PROGRESS
 */
export async function deleteFile(deps: DeleteDeps, tenantId: string, fileId: string): Promise<TrashedFile> {
  const { file, moved } = await moveUnlessRead(deps.em, createFindHalted(deps.engine), tenantId, fileId);
  if (!moved) throw notFound('file');
  await reconcileFileIfReachable(deps, file);
  return file;
}

/**
 * The same for many files, each independently and in the requested order.
 *
 * @param findHalted of a request that deletes several times
 */
export async function deleteFiles(
  { em, engine }: DeleteDeps,
  tenantId: string,
  fileIds: readonly string[],
  findHalted = createFindHalted(engine),
): Promise<Deletion[]> {
  const deletions: Deletion[] = [];
  const moved: StoredFile[] = [];
  for (const id of fileIds) {
    try {
      const trashed = await moveUnlessRead(em, findHalted, tenantId, id);
      if (trashed.moved) moved.push(trashed.file);
      const { deletedAt } = trashed.file;
      deletions.push({ id, outcome: trashed.moved ? 'deleted' : 'deleted_before', deletedAt });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      deletions.push({ id, outcome: 'refused', reason: error.message });
    }
  }
  await Promise.all(moved.map((file) => reconcileFileIfReachable({ em: em.fork(), engine }, file)));
  return deletions;
}

/**
 * Moves a file to the trash, and leaves its run to the caller.
 *
 * @throws as moveToTrash
 */
function moveUnlessRead(
  em: EntityManager,
  findHalted: FindHalted,
  tenantId: string,
  fileId: string,
): Promise<Trashed> {
  return unlessBusy(findHalted, (halted) => moveToTrash(em, tenantId, fileId, halted));
}
