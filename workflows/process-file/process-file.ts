import {
  CancellationScope,
  CancelledFailure,
  defineSignal,
  getExternalWorkflowHandle,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { type ComponentName, outstanding } from '../../domain/components.ts';
import { fastPathOf, type FastPathActivity } from '../../domain/pipelines/index.ts';
import type { FastPath } from '../../domain/pipelines/pipeline.ts';
import type { RunOutcome } from '../../domain/timeline.ts';
import type { StepEnd } from '../../temporal/contract/digitize-document.ts';
import {
  FILE_FAILED,
  failureReason,
  isEndOfFile,
  UPLOAD_SESSION_CANCELLED,
} from '../../temporal/contract/failures.ts';
import {
  FILE_SIGNALS,
  type ProcessFileInput,
  type ProcessFileResult,
} from '../../temporal/contract/process-file.ts';
import { SEARCH_ATTRIBUTES } from '../../temporal/contract/search-attributes.ts';
import { createStepRunner, type StepRunner } from './step-runner.ts';
import { FileRun } from './file-run.ts';
import type { Activities } from '../../activities/index.ts';
import { QUEUES, taskPriority } from '../../temporal/contract/queues.ts';
import { localWrite, quickIo } from '../activity-options.ts';
import { endAsFailed } from '../end-as-failed.ts';
import { withDurableFallback } from '../with-durable-fallback.ts';
import { UPLOAD_SESSION_SIGNALS, UPLOAD_SESSION_WORKFLOWS } from '../../temporal/contract/upload-session.ts';

type RecordActivities = Pick<Activities, 'beginFileWork' | 'projectFile' | 'finishFileWork'>;

const endReportRequested = defineSignal(FILE_SIGNALS.reportEnd);

/**
 * The pipeline of one file: tries its fast path, then runs the steps that are left of each outstanding component in
 * order, and records the outcome. The row is written once per component, not once per step, and once for all that the
 * fast path ends. The run goes on after a component has failed, and ends as `Failed` when its file has.
 */
export async function processFile(input: ProcessFileInput): Promise<ProcessFileResult> {
  const run = new FileRun(input);
  const projection = createProjection(input);
  let shown: string = 'queued';
  let endRequested = false;
  const sessionCancelled = new CancelledFailure('the upload session was cancelled');
  setHandler(endReportRequested, () => void (endRequested = true));

  try {
    const [first] = outstanding(run);
    if (first) run.scheduled(first, now());
    const { seq, visionProvider, triesFastPath } = await projection.begin(run.first());
    if (seq === undefined) return { outcome: 'superseded' };
    run.begin(seq);

    const runner = createStepRunner(input, visionProvider);
    // A retry is to show which step fails, and how often.
    const path = fastPathOf(input.mediaType);
    if (first && input.generation === 1 && path && (triesFastPath || path.always))
      await tryFastPath(runner, path);
    let [next] = outstanding(run);
    while (next) {
      await runComponent(next, runner);
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
    // The engine is unaware of a cancellation that a step found in the session's row.
    if (error === sessionCancelled) return run.result;
    throw error;
  }
  await CancellationScope.nonCancellable(() => finish('completed'));
  const { result } = run;
  const { failures = [] } = result;
  // A file that was deleted has not failed.
  if (result.outcome === 'failed' && !failures.some(({ code }) => isEndOfFile(code))) {
    const message = failures
      .map(({ component, code, reason }) => `${component}: ${code}, ${reason}`)
      .join('; ');
    endAsFailed({ code: FILE_FAILED, message }, result);
  }
  return result;

  async function tryFastPath(runner: StepRunner, path: FastPath<FastPathActivity>): Promise<void> {
    setCurrentDetails('All steps in progress, in one activity.');
    const { seq } = run;
    try {
      run.recorded(await runner.runFastPath(path, seq));
    } catch (error) {
      if (isCancellation(error)) throw error;
      // It may have been recorded without being reported; if not, the single steps will find the cause.
      run.recorded(await CancellationScope.nonCancellable(() => runner.settleFastPath(seq)));
    }
    showStatus();
  }

  async function runComponent(component: ComponentName, runner: StepRunner): Promise<void> {
    let end: StepEnd = {};
    for (const step of run.stepsLeft(component)) {
      setCurrentDetails(`${step.title} in progress.`);
      try {
        end = await runner.run(step);
      } catch (error) {
        if (isCancellation(error)) throw error;
        const reason = failureReason(error);
        if (reason.code === UPLOAD_SESSION_CANCELLED) throw sessionCancelled;
        run.failed(component, now(), reason);
        return;
      }
    }
    run.completed(component, now(), end.incomplete);
  }

  async function finish(outcome: RunOutcome): Promise<void> {
    showStatus();
    setCurrentDetails(`Ended: ${outcome === 'cancelled' ? outcome : run.unified}.`);
    if (!run.closed) await projection.finish(run.project(), outcome);
    await reportEnd(input, endRequested);
  }

  /** Six upserts per file cost 28 % of throughput, so only changes of the unified status are upserted. */
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

/**
 * The writes of a run to the file's row. Each is a local activity, which costs no extra hop; when Postgres does not
 * answer, it is scheduled as a regular activity, so that the outage is visible in the engine and retried without limit.
 */
function createProjection({ tenantId, priority }: ProcessFileInput) {
  const local = proxyLocalActivities<RecordActivities>(localWrite);
  const durable = proxyActivities<RecordActivities>({
    ...quickIo,
    taskQueue: QUEUES.io,
    priority: taskPriority(priority, tenantId),
    summary: 'Recording status (database was slow to answer)',
  });

  return {
    begin: withDurableFallback(local.beginFileWork, durable.beginFileWork),
    project: withDurableFallback(local.projectFile, durable.projectFile),
    finish: withDurableFallback(local.finishFileWork, durable.finishFileWork),
  };
}

/**
 * Signals the end of a file to its upload session. A child workflow skips this unless another run of the session than
 * its parent requested it: the engine reports its end to the parent, and a signal adds three events for each of 200
 * files.
 */
async function reportEnd(
  { fileId, sessionId, generation }: ProcessFileInput,
  requested: boolean,
): Promise<void> {
  if (!sessionId) return;
  const workflowId = UPLOAD_SESSION_WORKFLOWS.of(sessionId);
  if (!requested && workflowInfo().parent?.workflowId === workflowId) return;
  try {
    await getExternalWorkflowHandle(workflowId).signal(
      UPLOAD_SESSION_SIGNALS.fileSettled,
      fileId,
      generation,
    );
  } catch (error) {
    // The session's workflow has ended, so it has nothing left to count.
    if (isCancellation(error)) throw error;
  }
}
