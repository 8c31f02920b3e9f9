import { outstanding, type Components, type FailureReason, type FileComponents } from './components.ts';
import { applyFileEvent, type FileEvent } from './file-events.ts';
import { findStep, isFirstStep, isLastStep, type StepActivity } from './pipelines/index.ts';
import type { TimelineStep } from './timeline.ts';

/** A step started by a fast path. Times are ISO 8601. */
interface BegunStep {
  step: StepActivity;
  startedAt: string;
}

/** A step ended by a fast path. */
export interface EndedStep extends BegunStep {
  endedAt: string;
  /** Why it failed permanently. */
  error?: FailureReason;
}

/** The result of a fast path, returned to its workflow. */
export interface FastPathResult {
  /** The recorded steps, in order; the others run one by one. */
  ended: EndedStep[];
  /** A step that was started and left to run on its own: its component stays in progress. */
  left?: BegunStep;
  /** The step at which an earlier attempt was lost, if known. */
  lostAt?: string;
}

/**
 * The components of a file after its fast path, with the next component scheduled; unchanged if no step ended, as
 * nothing was recorded. Used by the activity that writes the row, by the workflow and by the history fold, so that they
 * cannot disagree.
 */
export function applyFastPath(file: FileComponents, { ended, left }: FastPathResult): Components {
  const { mediaType } = file;
  const last = ended.at(-1);
  if (!last) return file.components;
  const events = [
    ...ended.flatMap((step) => [...begun(file, step), ...closed(file, step)]),
    ...(left ? begun(file, left) : []),
  ];
  const components = events.reduce(scheduleOnce, file.components);
  const [next] = outstanding({ mediaType, components });
  if (!next) return components;
  return scheduleOnce(components, { type: 'step_scheduled', component: next, at: last.endedAt });
}

/** The ended steps as entries of a timeline. @param scheduledAt when the fast path was scheduled */
export function timelineOfEnded(
  mediaType: string,
  ended: readonly EndedStep[],
  scheduledAt: string,
): TimelineStep[] {
  return ended.flatMap(({ step, startedAt, endedAt, error }, index) => {
    const component = findStep(mediaType, step)?.component.name;
    if (!component) return [];
    return [
      {
        step,
        component,
        attempt: 1,
        scheduledAt: index === 0 ? scheduledAt : startedAt,
        startedAt,
        endedAt,
        outcome: error ? 'failed' : 'completed',
        ...(error && { error }),
      },
    ];
  });
}

function begun(file: FileComponents, { step, startedAt: at }: BegunStep): FileEvent[] {
  const component = findStep(file.mediaType, step)?.component.name;
  if (!component) return [];
  const started: FileEvent = { type: 'step_started', component, at };
  return isFirstStep(file, step) ? [{ type: 'step_scheduled', component, at }, started] : [started];
}

function closed(file: FileComponents, { step, endedAt: at, error: reason }: EndedStep): FileEvent[] {
  const { mediaType } = file;
  const component = findStep(mediaType, step)?.component.name;
  if (!component) return [];
  if (reason) return [{ type: 'step_failed', mediaType, component, at, reason }];
  return isLastStep(file, step) ? [{ type: 'step_completed', component, at }] : [];
}

/** The first component was scheduled together with the fast path, so its waiting time begins there. */
function scheduleOnce(components: Components, event: FileEvent): Components {
  const scheduled = event.type === 'step_scheduled' && components[event.component]?.queuedAt;
  return scheduled ? components : applyFileEvent(components, event);
}
