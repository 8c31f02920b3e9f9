import type { EntityData } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { lockFile } from '../files/lock-file.ts';
import type { FileTarget } from './file-target.ts';

/** What a step has made, ready to be stored. */
export interface StepResult {
  /** Changes to the file's row, given its current state: its owner may have changed it meanwhile. */
  changes?: (current: StoredFile) => EntityData<StoredFile>;
  /** Writes all other rows. */
  save?: (tx: EntityManager) => Promise<void>;
}

/** Stores the result of one step, unless the file was deleted or is in a newer generation. Idempotent. */
export async function recordStep(
  em: EntityManager,
  { fileId, tenantId, generation }: FileTarget,
  { changes, save }: StepResult,
): Promise<void> {
  await em.transactional(async (tx) => {
    const current = await lockFile(tx, tenantId, fileId);
    if (!current || current.generation !== generation || current.deletedAt) return;
    if (changes) await tx.nativeUpdate(StoredFile, { id: fileId }, changes(current));
    await save?.(tx);
  });
}
