import type { ComponentName, FailureReason } from './components.ts';

export type StepOutcome = 'waiting' | 'running' | 'completed' | 'failed' | 'cancelled';
export type RunOutcome = 'running' | 'completed' | 'cancelled' | 'terminated' | 'timed_out' | 'failed';

/** One step of one run, as recorded by the engine. Times are ISO 8601. */
export interface TimelineStep {
  step: string;
  component: ComponentName;
  /** Attempts started; 0 before a worker has picked it up. */
  attempt: number;
  scheduledAt: string;
  /** Start of the last attempt. */
  startedAt?: string;
  endedAt?: string;
  outcome: StepOutcome;
  /** The failure of the last failed attempt, even if a later one succeeded. */
  error?: FailureReason;
  /** Set while an operator has paused it in the engine. */
  operatorPause?: { since?: string; identity?: string; reason?: string };
}

/** What one run of a file's workflow did. Stored permanently; the engine drops histories after its retention period. */
export interface TimelineRun {
  generation: number;
  runId: string;
  /** Of the request that started it, where traces are made. */
  traceId?: string;
  startedAt: string;
  endedAt?: string;
  outcome: RunOutcome;
  /** Why the run ended, if it did not end by itself. */
  reason?: FailureReason;
  steps: TimelineStep[];
}
