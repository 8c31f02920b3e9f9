import {
  CancellationScope,
  CancelledFailure,
  defineSignal,
  isCancellation,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import { outstanding, type ComponentName } from '../../domain/components.ts';
import { stepsOf } from '../../domain/pipelines/index.ts';
import type { RunOutcome } from '../../domain/timeline.ts';
import { failureReason, SESSION_CANCELLED } from '../../temporal/contract/failures.ts';
import {
  FILE_SIGNALS,
  type ProcessFileInput,
  type ProcessFileResult,
} from '../../temporal/contract/process-file.ts';
import { SEARCH_ATTRIBUTES } from '../../temporal/contract/search-attributes.ts';
import { createStepRunner, type StepRunner } from './step-runner.ts';
import { FileRun } from './file-run.ts';
import { createProjection } from './projection.ts';
import { reportEnd } from './report-end.ts';

/**
 * The pipeline of one file: takes each component that is still to be done in order, makes it step by step, and
 * records what becomes of it. The row is written once a component, not once a step. A component
 * that fails does not fail the run; a run ends otherwise than `Completed` only when it is cancelled, or ended from
 * outside.
 */
export async function processFile(input: ProcessFileInput): Promise<ProcessFileResult> {
  const run = new FileRun(input);
  const projection = createProjection(input);
  let shown: string = 'queued';
  let asked = false;
  const sessionCancelled = new CancelledFailure('the upload session was cancelled');
  setHandler(defineSignal(FILE_SIGNALS.reportEnd), () => void (asked = true));

  try {
    const [first] = outstanding(run);
    if (first) run.scheduled(first, now());
    const { seq, visionProvider } = await projection.begin(run.first());
    if (seq === undefined) return { outcome: 'superseded' };
    run.begin(seq);

    const takeStep = createStepRunner(input, visionProvider);
    for (let next = first; next;) {
      await make(next, takeStep);
      [next] = outstanding(run);
      if (next) {
        run.scheduled(next, now());
        showStatus();
        await projection.project(run.project());
      }
    }
  } catch (error) {
    if (!isCancellation(error)) throw error;
    run.cancelled(now());
    await CancellationScope.nonCancellable(() => finish('cancelled'));
    // The engine knows nothing of a cancellation that a step found in the row of the session.
    if (error === sessionCancelled) return { outcome: run.status };
    throw error;
  }
  await CancellationScope.nonCancellable(() => finish('completed'));
  return { outcome: run.status };

  async function make(component: ComponentName, takeStep: StepRunner): Promise<void> {
    for (const step of stepsOf(input.mediaType, component)) {
      setCurrentDetails(`${step.title} under way.`);
      try {
        await takeStep(step);
      } catch (error) {
        if (isCancellation(error)) throw error;
        const reason = failureReason(error);
        if (reason.code === SESSION_CANCELLED) throw sessionCancelled;
        run.failed(component, now(), reason);
        return;
      }
    }
    run.completed(component, now());
  }

  async function finish(outcome: RunOutcome): Promise<void> {
    showStatus();
    setCurrentDetails(`Ended: ${run.unified}.`);
    await projection.finish(run.project(), outcome);
    await reportEnd(input, asked);
  }

  /** Six upserts a file cost 28 % of throughput, so only a change of the unified status is worth one. */
  function showStatus(): void {
    if (run.unified === shown) return;
    shown = run.unified;
    upsertSearchAttributes([
      { key: SEARCH_ATTRIBUTES.unifiedStatus, value: shown },
      { key: SEARCH_ATTRIBUTES.lastProgressAt, value: new Date() },
    ]);
  }
}

function now(): string {
  return new Date().toISOString();
}
