import {
  componentOf,
  componentsOf,
  requirePipeline,
  type Component,
  type ComponentName,
  type StepActivity,
} from './pipelines/index.ts';
import { triggersOf, type ProcessingRequest, type Trigger } from './pipelines/triggers.ts';

export type { ComponentName };

export const COMPONENT_STATUSES = [
  'pending',
  'queued',
  'processing',
  'completed',
  'failed',
  'skipped',
] as const;
export type ComponentStatus = (typeof COMPONENT_STATUSES)[number];

/** Why a component was skipped. The first two leave it out of the file's primary status, see primary-status.ts. */
export type SkipCause = 'by_request' | 'upstream_failed' | 'cancelled';

/** Why something failed. `code` is stable, `message` is human-readable and safe to show. */
export interface FailureReason {
  code: string;
  message: string;
}

export interface ComponentState {
  status: ComponentStatus;
  cause?: SkipCause;
  /**
   * Set for a failed component, for an interrupted one that cannot resume, and for a completed one with a missing part.
   */
  error?: FailureReason;
  /** Steps that were not requested; absent if all were. */
  unrequested?: readonly StepActivity[];
  /** ISO 8601. When its step was scheduled in the engine. */
  queuedAt?: string;
  /** ISO 8601. When it reached a terminal status. */
  endedAt?: string;
}

/** All components of one file. A component that does not apply to the medium is absent. */
export type Components = Readonly<Partial<Record<ComponentName, ComponentState>>>;

/** The part of a file that pipeline rules depend on. */
export interface FileComponents {
  mediaType: string;
  components: Components;
}

export function isTerminal(status: ComponentStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'skipped';
}

/**
 * The components of a newly accepted file.
 *
 * @throws AppError UNSUPPORTED_MEDIA for a medium without a pipeline, whose files would never be processed
 */
export function initialComponents(mediaType: string, request: ProcessingRequest): Components {
  const triggers = triggersOf(request);
  const components: Partial<Record<ComponentName, ComponentState>> = {};
  for (const component of requirePipeline(mediaType).components) {
    components[component.name] = triggers.has(component.requestedBy)
      ? { status: 'pending', ...unrequested(component, triggers) }
      : { status: 'skipped', cause: 'by_request' };
  }
  return components;
}

/**
 * Reopened components with the steps requested now: the category of an image may have changed. Requesting a component
 * by name requests the steps of the category, if the upload requests none of its steps.
 *
 * @param names reopened components
 */
export function withRequestedSteps(
  { mediaType, components }: FileComponents,
  names: readonly ComponentName[],
  request: ProcessingRequest,
): Components {
  const [upload, named] = [triggersOf(request), triggersOf({ ...request, autoDescribe: true })];
  const reopened: Partial<Record<ComponentName, ComponentState>> = {};
  for (const name of names) {
    const [component, state] = [componentOf(mediaType, name), components[name]];
    if (!component || !state) continue;
    const { unrequested: _before, ...rest } = state;
    const left = unrequested(component, upload);
    const none = left.unrequested?.length === component.steps.length;
    reopened[name] = { ...rest, ...(none ? unrequested(component, named) : left) };
  }
  return { ...components, ...reopened };
}

function unrequested(
  { steps }: Component,
  triggers: ReadonlySet<Trigger>,
): Pick<ComponentState, 'unrequested'> {
  const left = steps.filter(({ requestedBy }) => requestedBy && !triggers.has(requestedBy));
  return left.length > 0 ? { unrequested: left.map(({ activity }) => activity) } : {};
}

/** The components a run still has to process, in pipeline order: rows do not preserve the key order of `components`. */
export function outstanding({ mediaType, components }: FileComponents): ComponentName[] {
  return componentsOf(mediaType).flatMap(({ name }) => {
    const state = components[name];
    return state && !isTerminal(state.status) ? [name] : [];
  });
}

/**
 * The components that explain an unsuccessful file: failed ones, then interrupted and incomplete ones, each in pipeline
 * order, so that causes precede their consequences. Rows do not preserve the key order of `components`.
 */
export function failuresOf({ mediaType, components }: FileComponents): [ComponentName, ComponentState][] {
  const all = componentsOf(mediaType).flatMap(({ name }): [ComponentName, ComponentState][] => {
    const state = components[name];
    return state ? [[name, state]] : [];
  });
  const failed = all.filter(([, { status }]) => status === 'failed');
  const others = all.filter(([, { status, error }]) => status !== 'failed' && error !== undefined);
  return [...failed, ...others];
}

export function firstFailure(file: FileComponents): [ComponentName, ComponentState] | undefined {
  return failuresOf(file)[0];
}

/** Typed `Object.entries`. */
export function entries(components: Components): [ComponentName, ComponentState][] {
  return Object.entries(components) as [ComponentName, ComponentState][];
}
