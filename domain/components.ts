import type { MediaType } from './media.ts';

/** The parts of a file's processing that have a status of their own. */
export type ComponentName = 'variant' | 'description';

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

/** Why something failed, in words for people. `code` is stable, `message` is safe to show. */
export interface FailureReason {
  code: string;
  message: string;
}

export interface ComponentState {
  status: ComponentStatus;
  cause?: SkipCause;
  /** Of what failed, and of what was cut short and cannot go on. */
  error?: FailureReason;
  /** ISO 8601. When its step was handed to the engine. */
  queuedAt?: string;
  /** ISO 8601. When it reached a terminal status. */
  endedAt?: string;
}

/** All components of one file. A component that does not apply to the medium is absent. */
export type Components = Readonly<Partial<Record<ComponentName, ComponentState>>>;

/** Components in the order in which they run; each may rest on earlier ones. */
export const PIPELINES: Readonly<Record<MediaType, readonly ComponentName[]>> = {
  image: ['variant', 'description'],
  document: [],
  video: [],
  link: [],
};

/** A component runs only after these completed; when one of them fails, it is skipped. */
export const DEPENDS_ON: Readonly<Record<ComponentName, readonly ComponentName[]>> = {
  variant: [],
  description: ['variant'],
};

export function isTerminal(status: ComponentStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'skipped';
}

/** The components of a file that was just accepted. */
export function initialComponents(mediaType: MediaType, options: { autoDescribe: boolean }): Components {
  const components: Partial<Record<ComponentName, ComponentState>> = {};
  for (const name of PIPELINES[mediaType]) {
    const skip = name === 'description' && !options.autoDescribe;
    components[name] = skip ? { status: 'skipped', cause: 'by_request' } : { status: 'pending' };
  }
  return components;
}

/** The components a run still has to do, in pipeline order. */
export function outstanding(components: Components): ComponentName[] {
  return entries(components)
    .filter(([, state]) => !isTerminal(state.status))
    .map(([name]) => name);
}

/** The component that says why a file is not as it should be: one that failed, otherwise one that cannot go on. */
export function trouble(components: Components): [ComponentName, ComponentState] | undefined {
  const all = entries(components);
  return (
    all.find(([, { status }]) => status === 'failed') ?? all.find(([, { error }]) => error !== undefined)
  );
}

/** Typed `Object.entries`. */
export function entries(components: Components): [ComponentName, ComponentState][] {
  return Object.entries(components) as [ComponentName, ComponentState][];
}
