import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { StoredFile } from '../../db/entities/files/stored-file.ts';

/** A file as it stands now, live or in the trash, held until the transaction ends. */
export function lockFile(tx: EntityManager, tenantId: string, fileId: string): Promise<StoredFile | null> {
  return tx.findOne(
    StoredFile,
    { id: fileId, tenantId },
    { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
  );
}
