import type { EntityManager } from '@mikro-orm/postgresql';
import { StoredFile } from '../db/entities/stored-file.ts';
import type { Engine } from '../temporal/client.ts';
import { startDueIndexChange } from './follow-index-change.ts';

/** Younger ones are still in the hands of the request that made them due. */
const GRACE_SECONDS = 30;
const BATCH = 500;

/**
 * Has the similarity index follow deletions and restores that it has not heard of: their API died, or the engine was down.
 *
 * @returns how many were brought to the engine
 */
export async function startDueIndexChanges({
  em,
  engine,
}: {
  em: EntityManager;
  engine: Engine;
}): Promise<number> {
  const due = await em.find(
    StoredFile,
    { indexDueAt: { $lt: new Date(Date.now() - GRACE_SECONDS * 1000) } },
    { orderBy: { indexDueAt: 'asc' }, limit: BATCH },
  );
  let started = 0;
  for (const file of due) {
    if (await startDueIndexChange(engine, file)) started += 1;
  }
  return started;
}
