import type { EntityManager } from '@mikro-orm/postgresql';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import {
  applyFastPath,
  timelineOfEnded,
  type FastPathResult,
  type EndedStep,
} from '../../domain/fast-path.ts';
import { isTerminalPrimary, primaryStatus } from '../../domain/primary-status.ts';
import { currentTraceId } from '../../domain/tracing.ts';
import { lockFile } from '../files/find-file.ts';
import { endSchemaExtraction, saveRunEnd } from './end-file-run.ts';
import {
  type FileTarget,
  checkTarget,
  FileGone,
  findTarget,
  UploadSessionCancelled,
  UploadSessionPaused,
} from './file-target.ts';
import type { StepResult } from './record-step.ts';
import { outstanding, type FailureReason } from '../../domain/components.ts';
import { stepsOf, type StepActivity } from '../../domain/pipelines/index.ts';

/** The file of a fast path, and the run that started it. */
export interface FastPathTarget extends FileTarget {
  runId: string;
  /** The row's value since this run began. */
  seq: number;
  /** The provider of the model for the description. */
  visionProvider: string;
  /** ISO 8601. Start of the run. */
  runStartedAt: string;
  /** ISO 8601. When this activity was scheduled. */
  scheduledAt: string;
}

/**
 * Records the results of a fast path: those of its steps, the components, and, if nothing is left, the end of the run.
 *
 * @returns false, and writes nothing, when the file has been deleted or another run has taken over
 */
export async function recordFastPath(
  em: EntityManager,
  target: FastPathTarget,
  made: FastPathResult,
  results: readonly StepResult[],
): Promise<boolean> {
  const { fileId, tenantId, generation, seq, runId, runStartedAt, scheduledAt } = target;
  return em.transactional(async (tx) => {
    const current = await lockFile(tx, tenantId, fileId);
    if (!current || current.deletedAt || current.generation !== generation) return false;
    // Another run of this generation, the reconciler or `settleFastPath` has taken over.
    if (current.runId !== runId || current.seq !== seq) return false;

    const { mediaType } = current;
    const components = applyFastPath(current, made);
    const status = primaryStatus(components);
    const now = new Date();
    await tx.nativeUpdate(
      StoredFile,
      { id: fileId },
      {
        ...Object.assign({}, ...results.map(({ changes }) => changes?.(current))),
        seq: seq + 1,
        components,
        primaryStatus: status,
        updatedAt: now,
      },
    );
    for (const { save } of results) await save?.(tx);
    if (isTerminalPrimary(status)) {
      const traceId = currentTraceId();
      const run = {
        generation,
        runId,
        ...(traceId !== undefined && { traceId }),
        startedAt: runStartedAt,
        endedAt: now.toISOString(),
        outcome: 'completed' as const,
        steps: timelineOfEnded(mediaType, made.ended, scheduledAt),
      };
      const file = { fileId, tenantId, generation, components, mediaType };
      await endSchemaExtraction(tx, file);
      await saveRunEnd(tx, file, run, { replace: true });
    }
    return true;
  });
}

/** The steps of one medium within a fast path. */
export interface FastPathSteps {
  /**
   * Computes the result of a step. What it writes itself can be repeated, and is of the current generation only. Called in step
   * order, for one file.
   *
   * @returns undefined for a step that needs another class of work: it and all later ones are left
   */
  make(step: StepActivity): Promise<StepResult | undefined>;
  /** Undoes writes outside the database when rows were not written, as the file is no longer to be processed. */
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

/** How soon a fast path notices between its steps, most of which take a few milliseconds, that it is to stop. (713) */
export const CHECK_EVERY_MS = 500;

/**
 * Ends as many outstanding steps of a file as possible, and records them in one transaction. Stops before the first
 * step that needs another class of work, when the file is paused, cancelled or deleted, and at the first failure.
 * Permanent failures are recorded; any other is left to a run of that step alone, which reports and retries it.
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
  let checkedAt = performance.now();
  const steps = stepsFor(file);
  const ended: EndedStep[] = [];
  const results: StepResult[] = [];
  let left: FastPathResult['left'];

  for (const { activity: step } of outstandingSteps(file)) {
    const startedAt = new Date().toISOString();
    const end = (error?: FailureReason) =>
      ended.push({ step, startedAt, endedAt: new Date().toISOString(), ...(error && { error }) });
    try {
      if (performance.now() - checkedAt >= CHECK_EVERY_MS) {
        await checkTarget(em, target);
        checkedAt = performance.now();
      }
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

/** The next step encounters and reports the same condition. */
function undefinedIfStopped(error: unknown): undefined {
  const stopped = [FileGone, UploadSessionPaused, UploadSessionCancelled].some(
    (kind) => error instanceof kind,
  );
  if (!stopped) throw error;
}
