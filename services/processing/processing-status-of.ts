import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import {
  entries,
  isTerminal,
  type ComponentName,
  type ComponentState,
  type ComponentStatus,
} from '../../domain/components.ts';
import { stepsOf } from '../../domain/pipelines/index.ts';
import type { StepOutcome, TimelineRun, TimelineStep } from '../../domain/timeline.ts';
import type { FileObservation } from './observe-file.ts';
import type { FileTimelineView } from './timeline-of.ts';

export interface StepProgress {
  step: string;
  /** Display name. */
  title: string;
  status: ComponentStatus;
  /** Attempts begun. */
  attempt: number;
  startedAt: string | undefined;
  endedAt: string | undefined;
  error: string | undefined;
}

export interface ComponentProgress {
  name: ComponentName;
  status: ComponentStatus;
  /** The highest attempt of any of its steps. */
  attempt: number;
  startedAt: string | undefined;
  completedAt: string | undefined;
  error: string | undefined;
  steps: StepProgress[];
}

const STATUS_OF: Readonly<Record<StepOutcome, ComponentStatus>> = {
  waiting: 'queued',
  running: 'processing',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'skipped',
};

export function processingStatusOf(
  { file, components }: FileObservation,
  { runs }: FileTimelineView,
): ComponentProgress[] {
  return entries(components).map(([name, state]) =>
    componentProgress(file, name, state, runOf(state, file, runs)),
  );
}

/** The run that determines a component's state: the current one for open work, otherwise the one in which it ended. */
function runOf(
  { status, endedAt }: ComponentState,
  file: StoredFile,
  runs: readonly TimelineRun[],
): TimelineRun | undefined {
  if (!isTerminal(status)) return runs.findLast(({ generation }) => generation === file.generation);
  return endedAt === undefined ? undefined : runs.findLast(({ startedAt }) => startedAt <= endedAt);
}

function componentProgress(
  file: StoredFile,
  name: ComponentName,
  { status, endedAt, error }: ComponentState,
  run: TimelineRun | undefined,
): ComponentProgress {
  const ran = (run?.steps ?? []).filter(({ component }) => component === name);
  const steps = stepsOf(file, name).map(({ activity, title }) => {
    const found = ran.findLast(({ step }) => step === activity);
    return { step: activity, title, ...stepProgress(found, status) };
  });
  return {
    name,
    status,
    attempt: Math.max(0, ...steps.map(({ attempt }) => attempt)),
    startedAt: steps.find(({ startedAt }) => startedAt)?.startedAt,
    completedAt: isTerminal(status) ? endedAt : undefined,
    error: error?.message,
    steps,
  };
}

/** A step that never began is pending, or skipped once its component has ended. */
function stepProgress(
  found: TimelineStep | undefined,
  component: ComponentStatus,
): Omit<StepProgress, 'step' | 'title'> {
  if (!found) {
    const status = isTerminal(component) ? 'skipped' : 'pending';
    return { status, attempt: 0, startedAt: undefined, endedAt: undefined, error: undefined };
  }
  const { outcome, attempt, startedAt, endedAt, error } = found;
  return { status: STATUS_OF[outcome], attempt, startedAt, endedAt, error: error?.message };
}
