import { raw } from '@mikro-orm/core';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { outage } from '../shared/outage.ts';
import { NOT_HELD } from '../processing/held-by-session.ts';
import { startFileWork } from '../processing/start-file-work.ts';
import { beforeGrace, type SweepDeps } from './sweep.ts';

const BATCH = 500;

/**
 * Starts the work of files that are stored but not known to the engine: their API died, or the engine was down.
 *
 * @returns how many were brought to the engine
 * @throws AggregateError of those that it refused, once all were tried
 */
export async function startOrphans(deps: SweepDeps): Promise<number> {
  const { em, engine } = deps;
  const orphans = await em.find(
    StoredFile,
    {
      workflowStartedAt: null,
      deletedAt: null,
      primaryStatus: { $in: ['pending', 'processing'] },
      [raw(NOT_HELD)]: [],
      updatedAt: { $lt: beforeGrace(deps) },
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
