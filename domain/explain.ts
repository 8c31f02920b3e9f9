import {
  entries,
  failuresOf,
  type ComponentName,
  type Components,
  type ComponentState,
  type ComponentStatus,
} from './components.ts';
import { componentOf } from './pipelines/index.ts';
import { clause } from './text.ts';
import { isTerminalPrimary, primaryStatus, type PrimaryStatus } from './primary-status.ts';

/** A workflow or activity that an operator paused in the engine. */
export interface OperatorPause {
  since?: Date;
  /** The operator, as reported by the engine's tools. */
  identity?: string;
  reason?: string;
}

/** What is known about an unfinished step. */
export interface WaitingStep {
  /** Display name of the step. */
  title: string;
  /** How far it is, in a few words. */
  progress?: string;
  /** `waiting`: for a worker or for its next attempt. `running`: an attempt is in progress. */
  state: 'waiting' | 'running';
  /** The current or the next attempt. */
  attempt: number;
  /** 0 means unlimited. */
  maximumAttempts: number;
  scheduledAt?: Date;
  lastStartedAt?: Date;
  lastHeartbeatAt?: Date;
  nextAttemptAt?: Date;
  /** Absent if the last attempt failed only because its upload session was paused. */
  lastFailure?: { code: string; message: string };
  /** Whether the last attempt found the upload session of its file paused. */
  sessionPaused?: true;
  operatorPause?: OperatorPause;
}

export interface Explained {
  mediaType: string;
  components: Components;
  /** Whether the engine responded to this request. */
  engine: 'reachable' | 'unreachable';
  /** Whether the engine has accepted the work. */
  started: boolean;
  pending: WaitingStep[];
  /** Set while its open upload session is paused. */
  pause?: { since: Date; sessionId: string } | undefined;
  /** Set while an operator has paused its workflow. */
  operatorPause?: OperatorPause | undefined;
  /** Cancellation was requested, in the engine or through its upload session, and has not taken effect yet. */
  cancelRequested?: boolean | undefined;
  /** Attempts of the pending workflow task; more than a few mean that the workflow's own code fails. */
  workflowTaskAttempt: number;
}

/** One sentence with the current state of a file and, if it waits, the cause. */
export function explain(facts: Explained): string {
  const status = primaryStatus(facts.components);
  if (isTerminalPrimary(status)) return ended(facts, status);
  if (facts.engine === 'unreachable') {
    return 'The file is stored; the workflow engine cannot be reached, and its work continues when it is back.';
  }
  if (facts.workflowTaskAttempt > 2) {
    return `The workflow itself fails, attempt ${facts.workflowTaskAttempt}; an operator has to look at it.`;
  }
  const [step] = facts.pending;
  if (facts.operatorPause) return pausedByOperator('The workflow', facts.operatorPause);
  if (facts.cancelRequested) {
    return 'Cancellation requested: the work stops at its next safe point, as soon as a worker is free.';
  }
  if (step?.operatorPause) return pausedByOperator(named(step), step.operatorPause);
  if (facts.pause) return paused(facts.pause, step);
  if (!facts.started) return 'The file is stored; its processing has not begun yet.';
  if (!step) return 'Queued: no worker is free.';
  return waiting(step);
}

function pausedByOperator(what: string, { since, identity, reason }: OperatorPause): string {
  const by = identity ? ` (${identity})` : '';
  const from = since ? ` since ${clock(since)}` : '';
  return `${what} is paused by an operator${by}${from}${reason ? `: ${clause(reason)}` : ''}; it continues when it is unpaused in Temporal.`;
}

function paused(
  { since, sessionId }: NonNullable<Explained['pause']>,
  step: WaitingStep | undefined,
): string {
  const pause =
    `paused with its upload session since ${clock(since)}; ` +
    `it continues when the session is resumed, POST /files/sessions/${sessionId}/resume.`;
  // A running step may still finish.
  return step && !step.sessionPaused
    ? `${waiting(step).slice(0, -1)}, then ${pause}`
    : `The file is ${pause}`;
}

function waiting(step: WaitingStep): string {
  const title = named(step);
  const attempt = step.maximumAttempts > 0 ? `${step.attempt} of ${step.maximumAttempts}` : `${step.attempt}`;
  if (step.state === 'running') {
    const life = step.lastHeartbeatAt ? `, last active ${clock(step.lastHeartbeatAt)}` : '';
    const since = step.lastStartedAt ? ` since ${clock(step.lastStartedAt)}` : '';
    const before = step.lastFailure ? `; the attempt before failed: ${clause(step.lastFailure.message)}` : '';
    return `${title} running${since}, attempt ${attempt}${life}${before}.`;
  }
  if (step.lastFailure) {
    // Without a scheduled time the attempt is due, but no worker has picked it up.
    const next = `next try ${step.nextAttemptAt ? clock(step.nextAttemptAt) : 'as soon as a worker is free'}`;
    return `${title} waiting: ${clause(step.lastFailure.message)}, attempt ${attempt}, ${next}.`;
  }
  const since = step.scheduledAt ? ` since ${clock(step.scheduledAt)}` : '';
  return `${title} queued${since}: no worker is free.`;
}

function named({ title, progress }: WaitingStep): string {
  return progress ? `${title} (${progress})` : title;
}

function ended({ mediaType, components }: Explained, status: PrimaryStatus): string {
  const troubled = failuresOf({ mediaType, components });
  if (troubled.length === 0) {
    const cancelled = entries(components).some(([, state]) => state.cause === 'cancelled');
    return cancelled ? 'The work was cancelled; what was done by then is kept.' : 'Everything is completed.';
  }
  const title = (name: ComponentName) => componentOf(mediaType, name)?.title ?? name;
  // An external end applies to everything that was unfinished.
  const alike = Map.groupBy(troubled, ([, state]) => whatHappened(state));
  const sentences = [...alike].map(([what, group]) => `${list(group.map(([name]) => title(name)))} ${what}.`);
  if (status !== 'partially_completed') return sentences.join(' ');
  const others = entries(components).filter(
    ([name, { cause }]) => cause !== 'by_request' && !troubled.some(([other]) => other === name),
  );
  return [...sentences, ...restOf(others, title)].join(' ');
}

function whatHappened({ status, error }: ComponentState): string {
  const what = TROUBLE[status] ?? 'was interrupted and can be retried';
  return `${what}: ${clause(error?.message ?? 'unknown reason')}`;
}

/** The state of components without an error of their own. */
function restOf(
  others: readonly [ComponentName, ComponentState][],
  title: (name: ComponentName) => string,
): string[] {
  const left = others.filter(([, { status }]) => status !== 'completed').map(([name]) => title(name));
  if (others.length === 0) return [];
  if (left.length === 0) return ['The rest is completed.'];
  return [`${list(left)} ${left.length > 1 ? 'were' : 'was'} left out.`];
}

const TROUBLE: Partial<Record<ComponentStatus, string>> = { failed: 'failed', completed: 'is incomplete' };

function list(names: readonly string[]): string {
  return names.length > 1 ? `${names.slice(0, -1).join(', ')} and ${names.at(-1)}` : (names[0] ?? '');
}

function clock(at: Date): string {
  return `${at.toISOString().slice(11, 19)} UTC`;
}
