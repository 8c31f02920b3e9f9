import {
  CancellationScope,
  condition,
  defineSignal,
  isCancellation,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import { outstanding, type ComponentName } from '../../domain/components.ts';
import { isFirstStep, stepsOf, type Step } from '../../domain/pipelines/index.ts';
import type { RunOutcome } from '../../domain/timeline.ts';
import { failureReason } from '../../temporal/contract/failures.ts';
import {
  FILE_SIGNALS,
  type FilePause,
  type ProcessFileInput,
  type ProcessFileResult,
} from '../../temporal/contract/process-file.ts';
import { SEARCH_ATTRIBUTES } from '../../temporal/contract/search-attributes.ts';
import { createStepRunner, type StepRunner } from './step-runner.ts';
import { FileRun } from './file-run.ts';
import { createProjection } from './projection.ts';
import { tellSession } from './tell-session.ts';

/**
 * The pipeline of one file: takes each component that is still to be done in order, makes it step by step, and
 * records what becomes of it. The row is written once a component, not once a step. While its session is paused it
 * takes no further step. A component that fails does not fail the run; a run ends otherwise than `Completed` only when
 * it is cancelled or ended from outside.
 */
export async function processFile(input: ProcessFileInput): Promise<ProcessFileResult> {
  const run = new FileRun(input);
  const record = createProjection(input);
  let shown: string = 'queued';
  let paused = false;
  setHandler(defineSignal<[FilePause]>(FILE_SIGNALS.sessionPaused), (pause) => {
    if (pause.generation === input.generation) paused = pause.paused;
  });

  try {
    const [first] = outstanding(run);
    if (first) run.scheduled(first, now());
    const { seq, visionProvider } = await record.begin(run.first());
    if (seq === undefined) return { outcome: 'superseded' };
    run.begin(seq);

    const takeStep = createStepRunner(input, visionProvider);
    for (let next = first; next;) {
      await make(next, takeStep);
      [next] = outstanding(run);
      if (next) {
        run.scheduled(next, now());
        showStatus();
        await record.project(run.project());
      }
    }
  } catch (error) {
    if (!isCancellation(error)) throw error;
    run.cancelled(now());
    await CancellationScope.nonCancellable(() => finish('cancelled'));
    throw error;
  }
  await CancellationScope.nonCancellable(() => finish('completed'));
  return { outcome: run.status };

  async function make(component: ComponentName, takeStep: StepRunner): Promise<void> {
    for (const step of stepsOf(input.mediaType, component)) {
      if (paused) await hold(component, step);
      setCurrentDetails(`${step.title} under way.`);
      try {
        await takeStep(step);
      } catch (error) {
        if (isCancellation(error)) throw error;
        run.failed(component, now(), failureReason(error));
        return;
      }
    }
    run.completed(component, now());
  }

  async function hold(component: ComponentName, step: Step): Promise<void> {
    setCurrentDetails(`${step.title} held back: the session is paused.`);
    // A component under way shows in what is pending at the engine, and here nothing is.
    if (!isFirstStep(input.mediaType, step.activity)) {
      run.started(component, now());
      showStatus();
      await record.project(run.project());
    }
    await condition(() => !paused);
  }

  async function finish(outcome: RunOutcome): Promise<void> {
    showStatus();
    setCurrentDetails(`Ended: ${run.unified}.`);
    await record.finish(run.project(), outcome);
    await tellSession(input);
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
