import type { EntityManager } from '@mikro-orm/postgresql';
import type { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { outstanding, type FailureReason } from '../../../domain/components.ts';
import type { EndedStep, FastPathResult } from '../../../domain/fast-path.ts';
import { stepsOf, type StepActivity } from '../../../domain/pipelines/index.ts';
import {
  checkTarget,
  FileGone,
  findTarget,
  UploadSessionCancelled,
  UploadSessionPaused,
} from '../file-target.ts';
import type { StepResult } from '../record-step.ts';
import { recordFastPath, type FastPathTarget } from './record-fast-path.ts';

/** How the steps of one medium are made within a fast path. */
export interface FastPathSteps {
  /**
   * Makes what a step makes, without writing rows. Steps are called in their order, for one file.
   *
   * @returns undefined for a step that needs another class of work: it and all later ones are left
   */
  make(step: StepActivity): Promise<StepResult | undefined>;
  /** Undoes what lies outside the database when its rows could not be written, as the file is no longer to be processed. */
  discard(): Promise<void>;
}

export interface FastPathOptions {
  signal: AbortSignal;
  /** Called when a step begins. */
  onStep: (step: StepActivity) => void;
  /** The reason of a failure that no retry can change; undefined for others. */
  permanentReason: (error: unknown) => FailureReason | undefined;
  /** Called with a failure that leaves its step to a run of its own. */
  onLeft: (step: StepActivity, error: unknown) => void;
}

/**
 * Ends as many outstanding steps of a file as possible, and records them in one transaction. It stops before the first
 * step that needs another class of work, when the file is paused, cancelled or deleted, and at the first failure. What
 * failed permanently is recorded; anything else is left to a run of that step alone, which reports and retries it.
 *
 * @returns what was recorded
 * @throws the reason of an abort that came before any step had ended, and outages of the database
 */
export async function runFastPath(
  em: EntityManager,
  target: FastPathTarget,
  stepsFor: (file: StoredFile) => FastPathSteps,
  { signal, onStep, permanentReason, onLeft }: FastPathOptions,
): Promise<FastPathResult> {
  const file = await findTarget(em, target).catch(undefinedIfStopped);
  if (!file) return { ended: [] };
  const steps = stepsFor(file);
  const ended: EndedStep[] = [];
  const results: StepResult[] = [];
  let left: FastPathResult['left'];

  for (const { activity: step } of outstandingSteps(file)) {
    const startedAt = new Date().toISOString();
    const end = (error?: FailureReason) =>
      ended.push({ step, startedAt, endedAt: new Date().toISOString(), ...(error && { error }) });
    try {
      if (ended.length > 0) await checkTarget(em, target);
      onStep(step);
      left = { step, startedAt };
      const result = await steps.make(step);
      if (!result) break;
      left = undefined;
      results.push(result);
      end();
    } catch (error) {
      const reason = permanentReason(error);
      if (reason) {
        left = undefined;
        end(reason);
      } else if (ended.length === 0 && signal.aborted) throw error;
      else onLeft(step, error);
      break;
    }
  }
  const made: FastPathResult = { ended, ...(left && { left }) };
  if (ended.length === 0) return made;
  if (await recordFastPath(em, target, made, results)) return made;
  await steps.discard();
  return { ended: [] };
}

function outstandingSteps(file: StoredFile) {
  return outstanding(file).flatMap((component) => stepsOf(file, component));
}

/** The step that follows finds the same, and reports it. */
function undefinedIfStopped(error: unknown): undefined {
  const stopped = [FileGone, UploadSessionPaused, UploadSessionCancelled].some(
    (kind) => error instanceof kind,
  );
  if (!stopped) throw error;
}
