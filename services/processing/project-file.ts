import type { EntityManager } from '@mikro-orm/postgresql';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import type { Components } from '../../domain/components.ts';
import { primaryStatus } from '../../domain/primary-status.ts';

/** Higher than any `seq` a run can reach: the final write of a generation that was ended from outside. */
export const LAST_SEQ = 2_147_483_647;

/** All component statuses of a file at one point of a run; `seq` increases within a generation. */
export interface FileProjection {
  fileId: string;
  tenantId: string;
  generation: number;
  seq: number;
  components: Components;
}

/**
 * Writes a projection unless the row already has this one or a later one, so that repeated or stale writes change
 * nothing.
 *
 * @returns whether it was written
 */
export async function projectFile(em: EntityManager, projection: FileProjection): Promise<boolean> {
  const { fileId, tenantId, generation, seq, components } = projection;
  const written = await em.nativeUpdate(
    StoredFile,
    {
      id: fileId,
      tenantId,
      $or: [{ generation: { $lt: generation } }, { generation, seq: { $lt: seq } }],
    },
    { generation, seq, components, primaryStatus: primaryStatus(components), updatedAt: new Date() },
  );
  return written > 0;
}
