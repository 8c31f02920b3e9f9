import { raw } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { StoredFile } from '../db/entities/stored-file.ts';
import type { Engine } from '../temporal/client.ts';
import { outage } from './outage.ts';
import { NOT_HELD } from './held-by-session.ts';
import { startFileWork } from './start-file-work.ts';

/** Younger rows are still in the hands of the request that wrote them. */
const GRACE_SECONDS = 30;
const BATCH = 500;

/**
 * Starts the work of files that are stored but not known to the engine: their API died, or the engine was down.
 *
 * @returns how many were brought to the engine
 * @throws AggregateError of those that it refused, once all were tried
 */
export async function startOrphans({ em, engine }: { em: EntityManager; engine: Engine }): Promise<number> {
  const orphans = await em.find(
    StoredFile,
    {
      workflowStartedAt: null,
      deletedAt: null,
      primaryStatus: { $in: ['pending', 'processing'] },
      [raw(NOT_HELD)]: [],
      updatedAt: { $lt: new Date(Date.now() - GRACE_SECONDS * 1000) },
    },
    // Not by `updatedAt`, which is in no index, see StoredFile. What waits is little, so an old file that is retried
    // comes first, and a filter does for the rest.
    { orderBy: { createdAt: 'asc' }, limit: BATCH },
  );
  let started = 0;
  const refused: unknown[] = [];
  for (const file of orphans) {
    try {
      if (await startFileWork({ em, engine }, file)) started += 1;
    } catch (error) {
      if (outage(error)) throw error;
      // One file that the engine refuses must not keep the others waiting.
      refused.push(new Error(`file ${file.id} was not started`, { cause: error }));
    }
  }
  if (refused.length > 0) throw new AggregateError(refused, `${refused.length} files were not started`);
  return started;
}
