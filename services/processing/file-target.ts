import type { EntityManager } from '@mikro-orm/postgresql';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { OPEN_STATUSES } from '../../domain/primary-status.ts';

/** The file that a step works on, and the generation it works for: an overtaken attempt changes nothing. */
export interface FileTarget {
  fileId: string;
  tenantId: string;
  generation: number;
}

/**
 * The file was deleted, was closed by the engine's verdict on its run, or a newer run has taken over: there is
 * nothing left to do for this one.
 */
export class FileGone extends Error {
  override readonly name = 'FileGone';
}

/** @throws FileGone */
export async function findTarget(
  em: EntityManager,
  { fileId, tenantId, generation }: FileTarget,
): Promise<StoredFile> {
  const file = await em.findOne(StoredFile, {
    id: fileId,
    tenantId,
    generation,
    deletedAt: null,
    primaryStatus: { $in: OPEN_STATUSES },
  });
  if (!file) throw new FileGone('the file is gone, is closed, or a newer run has taken over');
  return file;
}
