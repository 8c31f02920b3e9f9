import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { startDueIndexChange } from '../similarity/follow-index-change.ts';
import { beforeGrace, type SweepDeps } from './sweep.ts';

const BATCH = 500;

/**
 * Has the similarity index follow deletions and restores that it has not heard of: their API died, or the engine was down.
 *
 * @returns how many were brought to the engine
 */
export async function startDueIndexChanges(deps: SweepDeps): Promise<number> {
  const { em, engine } = deps;
  const due = await em.find(
    StoredFile,
    { indexDueAt: { $lt: beforeGrace(deps) } },
    { orderBy: { indexDueAt: 'asc' }, limit: BATCH },
  );
  let started = 0;
  for (const file of due) {
    if (await startDueIndexChange(engine, file)) started += 1;
  }
  return started;
}
