import {
  entries,
  isTerminal,
  type ComponentName,
  type Components,
  type ComponentState,
  type FailureReason,
} from './components.ts';
import { dependenciesOf } from './pipelines/index.ts';

/**
 * All events that can happen to the components of a file in one run of its workflow. The workflow raises them, the
 * history fold reads them back from the engine, the reconciler raises the last kind: one reducer serves all three, so
 * status and history cannot disagree. `at` is ISO 8601.
 *
 * A component may have several steps: the start of the first and the end of the last count here.
 */
export type FileEvent =
  | { type: 'step_scheduled'; component: ComponentName; at: string }
  | { type: 'step_started'; component: ComponentName; at: string }
  /** `incomplete` explains a missing part of the result. */
  | { type: 'step_completed'; component: ComponentName; at: string; incomplete?: FailureReason | undefined }
  /** `mediaType` determines which components depend on this one. */
  | { type: 'step_failed'; mediaType: string; component: ComponentName; at: string; reason: FailureReason }
  | { type: 'run_cancelled'; at: string }
  | { type: 'run_ended_abnormally'; at: string; reason: FailureReason };

/** Applies one event. Terminal components never change: only an explicit retry reopens them. */
export function applyFileEvent(components: Components, event: FileEvent): Components {
  switch (event.type) {
    case 'step_scheduled':
      // A later step of a component in progress must not put it back into the queue.
      if (components[event.component]?.status === 'processing') return components;
      return change(components, event.component, { status: 'queued', queuedAt: event.at });
    case 'step_started':
      return change(components, event.component, { status: 'processing' });
    case 'step_completed':
      return change(components, event.component, {
        status: 'completed',
        endedAt: event.at,
        ...(event.incomplete && { error: event.incomplete }),
      });
    case 'step_failed':
      return skipDependents(
        event.mediaType,
        change(components, event.component, { status: 'failed', error: event.reason, endedAt: event.at }),
        event.component,
        event.at,
      );
    case 'run_cancelled':
      return closeUnfinished(components, { status: 'skipped', cause: 'cancelled', endedAt: event.at });
    case 'run_ended_abnormally':
      return closeUnfinished(components, { status: 'failed', error: event.reason, endedAt: event.at });
  }
}

function change(components: Components, name: ComponentName, next: ComponentState): Components {
  const current = components[name];
  if (!current || isTerminal(current.status)) return components;
  const queuedAt = next.queuedAt ?? current.queuedAt;
  const { unrequested } = current;
  return {
    ...components,
    [name]: { ...next, ...(unrequested && { unrequested }), ...(queuedAt && { queuedAt }) },
  };
}

function skipDependents(
  mediaType: string,
  components: Components,
  failed: ComponentName,
  at: string,
): Components {
  return entries(components).reduce((all, [name]) => {
    if (!dependenciesOf(mediaType, name).includes(failed)) return all;
    return skipDependents(
      mediaType,
      change(all, name, { status: 'skipped', cause: 'upstream_failed', endedAt: at }),
      name,
      at,
    );
  }, components);
}

function closeUnfinished(components: Components, next: ComponentState): Components {
  return entries(components).reduce((all, [name]) => change(all, name, next), components);
}
