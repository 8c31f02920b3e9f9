import { Context, log } from '@temporalio/activity';
import type { Orm } from '../db/create-orm.ts';
import type { FailureReason } from '../domain/components.ts';
import type { FastPathResult } from '../domain/fast-path.ts';
import type { FastPathOptions, FastPathTarget } from '../services/processing/fast-path.ts';
import { settleFastPath } from '../services/processing/settle-fast-path.ts';
import { failureReason, permanentFailure } from '../temporal/contract/failures.ts';
import { attempt, earlierHeartbeat, type AttemptControls, type FailureClass } from './attempt.ts';

/** A file and its run; the remaining context comes from the engine. */
export type FastPathInput = Omit<FastPathTarget, 'runId' | 'scheduledAt'>;

type EntityManager = Orm['em'];

/** The fast path of one medium. */
interface FastPathWork {
  orm: Orm;
  make: (em: EntityManager, target: FastPathTarget, options: FastPathOptions) => Promise<FastPathResult>;
  classify: (error: unknown) => FailureClass | undefined;
  /** Undoes what a lost attempt may have written outside the database. @param step at which it was lost */
  clean?: (em: EntityManager, target: FastPathTarget, step: string | undefined) => Promise<void>;
}

/**
 * The activity of a fast path. Only the first attempt makes anything: a later one returns what an earlier one has recorded
 * before it vanished, so that a file that crashes its worker is found by the step that does it.
 */
export function createFastPath({ orm, make, classify, clean }: FastPathWork) {
  async function settle(target: FastPathTarget): Promise<FastPathResult> {
    const em = orm.em.fork();
    const { step: lostAt } = earlierHeartbeat();
    const recorded = await settleFastPath(em, target);
    await clean?.(em, target, lostAt);
    return { ...recorded, ...(lostAt && { lostAt }) };
  }

  return (input: FastPathInput): Promise<FastPathResult> =>
    attempt(
      async (controls) => {
        const target = { ...input, ...thisRun() };
        if (begunBefore()) return settle(target);
        const made = await make(orm.em.fork(), target, optionsOf(controls, classify));
        return made.ended.length > 0 ? made : settle(target);
      },
      classify,
      { counting: false },
    );
}

/** Whether an attempt before this one has done anything but go back to the engine. */
function begunBefore(): boolean {
  return Context.current().info.attempt - (earlierHeartbeat().returned ?? 0) > 1;
}

function thisRun(): Pick<FastPathTarget, 'runId' | 'scheduledAt'> {
  const { workflowExecution, scheduledTimestampMs } = Context.current().info;
  if (!workflowExecution) throw new Error('a fast path belongs to the run of a file');
  return { runId: workflowExecution.runId, scheduledAt: new Date(scheduledTimestampMs).toISOString() };
}

function optionsOf(controls: AttemptControls, classify: FastPathWork['classify']): FastPathOptions {
  return {
    ...controls,
    permanentReason(error: unknown): FailureReason | undefined {
      const failure = classify(error);
      return failure?.kind === 'permanent'
        ? failureReason(permanentFailure(failure.code, failure.message))
        : undefined;
    },
    onLeft: (step: string, error: unknown) =>
      log.info('left to a step of its own', { step, reason: String(error) }),
  };
}
