import { outstanding, type Components, type FailureReason, type FileComponents } from './components.ts';
import { applyFileEvent, type FileEvent } from './file-events.ts';
import { findStep, isFirstStep, isLastStep, type StepActivity } from './pipelines/index.ts';
import type { TimelineStep } from './timeline.ts';

/** A step that a fast path has ended. Times are ISO 8601. */
export interface EndedStep {
  step: StepActivity;
  startedAt: string;
  endedAt: string;
  /** Why it failed permanently. */
  error?: FailureReason;
}

/** What a fast path returns to its workflow. */
export interface FastPathResult {
  /** The steps that are recorded, in order; the others run one by one. */
  ended: EndedStep[];
  /** The step at which an earlier attempt vanished, as far as it is known. */
  lostAt?: string;
}

/**
 * The components of a file after the steps that its fast path has ended, with the next component scheduled. Applied by
 * the activity that writes the row, by the workflow, and by the history fold: they cannot disagree.
 */
export function applyEndedSteps(file: FileComponents, steps: readonly EndedStep[]): Components {
  const { mediaType } = file;
  const components = steps.flatMap((step) => eventsOf(mediaType, step)).reduce(scheduleOnce, file.components);
  const last = steps.at(-1);
  const [next] = outstanding({ mediaType, components });
  if (!last || !next) return components;
  return scheduleOnce(components, { type: 'step_scheduled', component: next, at: last.endedAt });
}

/** The same steps as entries of a timeline. @param scheduledAt when the fast path was scheduled */
export function timelineOfEnded(
  mediaType: string,
  steps: readonly EndedStep[],
  scheduledAt: string,
): TimelineStep[] {
  return steps.flatMap(({ step, startedAt, endedAt, error }, index) => {
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

function eventsOf(mediaType: string, { step, startedAt, endedAt, error }: EndedStep): FileEvent[] {
  const component = findStep(mediaType, step)?.component.name;
  if (!component) return [];
  return [
    ...(isFirstStep(mediaType, step) ? [{ type: 'step_scheduled' as const, component, at: startedAt }] : []),
    { type: 'step_started', component, at: startedAt },
    ...(error
      ? [{ type: 'step_failed' as const, mediaType, component, at: endedAt, reason: error }]
      : isLastStep(mediaType, step)
        ? [{ type: 'step_completed' as const, component, at: endedAt }]
        : []),
  ];
}

/** The first component was scheduled together with the fast path, which is when it began to wait. */
function scheduleOnce(components: Components, event: FileEvent): Components {
  if (event.type === 'step_scheduled' && components[event.component]?.queuedAt) return components;
  return applyFileEvent(components, event);
}
