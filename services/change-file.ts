import type { EntityManager } from '@mikro-orm/postgresql';
import { StoredFile } from '../db/entities/stored-file.ts';
import { notFound } from '../domain/refusal.ts';

/** What people may change of a file; what is absent stays. */
export interface FileChange {
  /** Null: it goes by its file name. */
  title?: string | null;
  tags?: string[];
  /** Null: the model's description counts again. */
  userDescription?: string | null;
}

/**
 * Changes a live file, and nothing of it but what is named.
 *
 * @throws Refusal NOT_FOUND when it was deleted meanwhile
 */
export async function changeFile(
  em: EntityManager,
  file: StoredFile,
  change: FileChange,
): Promise<StoredFile> {
  const { id, tenantId } = file;
  const changed = await em.nativeUpdate(
    StoredFile,
    { id, tenantId, deletedAt: null },
    { ...change, updatedAt: new Date() },
  );
  if (changed === 0) throw notFound('file');
  return em.refreshOrFail(file);
}
