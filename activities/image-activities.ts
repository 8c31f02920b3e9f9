import { Context, log } from '@temporalio/activity';
import type { Orm } from '../db/create-orm.ts';
import type { FailureReason } from '../domain/components.ts';
import type { FastPathResult } from '../domain/fast-path.ts';
import type { StepActivity } from '../domain/pipelines/index.ts';
import type { FastPathTarget } from '../services/processing/fast-path.ts';
import { makeImage, type MakeImageDeps } from '../services/images/make-image.ts';
import { settleFastPath } from '../services/processing/settle-fast-path.ts';
import type { FileTarget } from '../services/processing/file-target.ts';
import { readText, type ReadTextDeps } from '../services/images/read-text.ts';
import { renderVariants } from '../services/images/render-variants.ts';
import { removeDeleted } from '../services/media/index-entries.ts';
import { failureReason, permanentFailure } from '../temporal/contract/failures.ts';
import { attempt, earlierHeartbeat, type AttemptControls } from './attempt.ts';
import {
  classifyIndexFailure,
  classifyImageFailure,
  classifyRecognitionFailure,
} from './classify-failures.ts';

const LAST_STEP: StepActivity = 'indexImage';

export type ImageDeps = Omit<MakeImageDeps, 'em'> & { orm: Orm };

/** A file and its run; the remaining context comes from the engine. */
export type MakeImageInput = Omit<FastPathTarget, 'runId' | 'scheduledAt'>;

/** Decoding work, on the `cpu` queue. */
export function createImageActivities({ orm, ...deps }: ImageDeps) {
  async function settle(target: FastPathTarget): Promise<FastPathResult> {
    const em = orm.em.fork();
    const { step: lostAt } = earlierHeartbeat();
    const recorded = await settleFastPath(em, target);
    // A vector may have been written, of a file that was deleted before.
    if (lostAt === LAST_STEP) await removeDeleted({ em, vectors: deps.vectors }, [target]);
    return { ...recorded, ...(lostAt && { lostAt }) };
  }

  return {
    /**
     * The fast path. Only the first attempt makes anything: a later one returns what an earlier one has recorded before
     * it vanished, so that an image that crashes its worker is found by the step that does it.
     */
    makeImage: (input: MakeImageInput): Promise<FastPathResult> =>
      attempt(
        async (controls) => {
          const target = { ...input, ...thisRun() };
          if (begunBefore()) return settle(target);
          const made = await makeImage({ em: orm.em.fork(), ...deps }, target, fastPathOptions(controls));
          return made.ended.length > 0 ? made : settle(target);
        },
        classifyIndexFailure,
        { counting: false },
      ),

    renderVariants: (target: FileTarget): Promise<void> =>
      attempt(
        ({ signal }) => renderVariants({ em: orm.em.fork(), ...deps }, target, signal),
        classifyImageFailure,
      ),
  };
}

/** Text recognition, on the `ocr` queue. */
export function createImageTextActivities({ orm, ...deps }: Omit<ReadTextDeps, 'em'> & { orm: Orm }) {
  return {
    readText: (target: FileTarget): Promise<void> =>
      attempt(
        ({ signal }) => readText({ em: orm.em.fork(), ...deps }, target, signal),
        classifyRecognitionFailure,
      ),
  };
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

function fastPathOptions(controls: AttemptControls) {
  return {
    ...controls,
    permanentReason(error: unknown): FailureReason | undefined {
      const failure = classifyIndexFailure(error);
      return failure?.kind === 'permanent'
        ? failureReason(permanentFailure(failure.code, failure.message))
        : undefined;
    },
    onLeft: (step: string, error: unknown) =>
      log.info('left to a step of its own', { step, reason: String(error) }),
  };
}
