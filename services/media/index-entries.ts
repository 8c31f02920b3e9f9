import type { EntityManager } from '@mikro-orm/postgresql';
import type { VectorIndex } from '../../adapters/vector-index/vector-index.ts';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { isTerminalPrimary } from '../../domain/primary-status.ts';
import { acknowledge } from '../shared/due.ts';

interface IndexDeps {
  em: EntityManager;
  vectors: VectorIndex;
}

/** A file that a rebuild has left without a vector. */
export interface LeftOut {
  fileId: string;
  reason: string;
}

/** The result of one page of a rebuild of an index. */
export interface RebuiltPage {
  indexed: number;
  leftOut: LeftOut[];
  /** Id to continue after; absent after the last page. */
  after?: string;
}

/**
 * Syncs the vectors of a file with its row: removed if it is in the trash, otherwise added. Idempotent.
 *
 * Repeats until the row is unchanged after the sync: an attempt that was delayed until others had finished corrects its
 * own stale write. Then acknowledges the row, unless a run that has yet to begin does.
 *
 * @param add adds the vectors of a live file
 * @param beforeRemoval also called when nothing is stored
 * @throws VectorIndexError
 */
export async function syncEntries(
  { em, vectors }: IndexDeps,
  fileId: string,
  add: (file: StoredFile) => Promise<unknown>,
  beforeRemoval: () => Promise<unknown> = async () => undefined,
): Promise<void> {
  const read = () => em.findOne(StoredFile, { id: fileId }, { refresh: true });
  for (let file = await read(); file;) {
    const { tenantId, engineDueAt } = file;
    const isLastToRead = !awaitsRun(file);
    const trashed = Boolean(file.deletedAt);
    if (trashed) {
      // Before the removal: the receipt of a purge counts them.
      await noteVectors(em, fileId, await vectors.count({ tenantId, fileIds: [fileId] }));
      await beforeRemoval();
      await vectors.remove({ tenantId, fileIds: [fileId] });
    } else {
      await add(file);
    }
    file = await read();
    if (file && Boolean(file.deletedAt) === trashed) {
      if (isLastToRead) await acknowledge(em, StoredFile, { id: fileId, engineDueAt });
      return;
    }
  }
}

/** Whether a run of the current generation of a file has yet to begin, which then reads the row. */
export function awaitsRun({ deletedAt, primaryStatus, workflowStartedAt }: StoredFile): boolean {
  return !deletedAt && !isTerminalPrimary(primaryStatus) && !workflowStartedAt;
}

/** Removes the vectors of files that were deleted while they were written. @returns how many files are live */
export async function removeDeleted(
  { em, vectors }: IndexDeps,
  files: readonly { fileId: string; tenantId: string }[],
): Promise<number> {
  const ids = files.map(({ fileId }) => fileId);
  const live = await em.find(StoredFile, { id: { $in: ids }, deletedAt: null }, { fields: ['id'] });
  for (const { fileId, tenantId } of files) {
    if (!live.some(({ id }) => id === fileId)) await vectors.remove({ tenantId, fileIds: [fileId] });
  }
  return live.length;
}

/** Records the number of vectors of a deleted file before they are removed; the highest count wins. */
export async function noteVectors(em: EntityManager, fileId: string, vectors: number): Promise<void> {
  if (vectors === 0) return;
  // Under the row lock, so that no record is left for a file that is being restored.
  await em.execute(
    `with trashed as (select id from files where id = ? and deleted_at is not null for update)
     insert into file_removals as noted (file_id, began_at, object_keys, vectors)
     select id, null, '{}', ? from trashed
     on conflict (file_id) do update set vectors = greatest(noted.vectors, excluded.vectors)`,
    [fileId, vectors],
  );
}
