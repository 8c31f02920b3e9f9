import type { Orm } from '../db/create-orm.ts';
import { AppError } from '../domain/app-error.ts';
import type { FailureReason } from '../domain/components.ts';
import { advanceReprocessing } from '../services/reprocessing/advance-reprocessing.ts';
import { failReprocessing } from '../services/reprocessing/change-reprocessing.ts';
import { rollBackPage } from '../services/reprocessing/roll-back.ts';
import type { Engine } from '../temporal/client.ts';
import { permanentFailure } from '../temporal/contract/failures.ts';
import type { ReprocessingRound, ReprocessingTarget } from '../temporal/contract/reprocess-files.ts';

/** The work of `reprocessFiles` and `rollBackReprocessing`, on the `io` queue. */
export function createReprocessingActivities({ orm, engine }: { orm: Orm; engine: Engine }) {
  return {
    advanceReprocessing: (target: ReprocessingTarget): Promise<ReprocessingRound> =>
      onRecord(advanceReprocessing({ em: orm.em.fork(), engine }, target)),

    async failReprocessing(target: ReprocessingTarget, reason: FailureReason): Promise<void> {
      await onRecord(failReprocessing(orm.em.fork(), target, reason));
    },

    rollBackPage: (target: ReprocessingTarget): Promise<{ done: boolean; restored: number }> =>
      onRecord(rollBackPage(orm.em.fork(), target)),
  };
}

/** A workflow whose record was removed has nothing left to do. */
async function onRecord<R>(work: Promise<R>): Promise<R> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'NOT_FOUND') throw error;
    throw permanentFailure(error.code, error.message, { cause: error });
  }
}
