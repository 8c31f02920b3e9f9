import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { StoredFile } from '../../db/entities/files/stored-file.ts';

/** The current row of a file, live or in the trash, locked until the transaction ends. */
export function lockFile(tx: EntityManager, tenantId: string, fileId: string): Promise<StoredFile | null> {
  return tx.findOne(
    StoredFile,
    { id: fileId, tenantId },
    { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
  );
}
