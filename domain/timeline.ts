import type { ComponentName, FailureReason } from './components.ts';

export type StepOutcome = 'waiting' | 'running' | 'completed' | 'failed' | 'cancelled';
export type RunOutcome = 'running' | 'completed' | 'cancelled' | 'terminated' | 'timed_out' | 'failed';

/** One step of one run, as the engine recorded it. Times are ISO 8601. */
export interface TimelineStep {
  step: string;
  component: ComponentName;
  /** Attempts started; 0 while no worker has picked it up. */
  attempt: number;
  scheduledAt: string;
  /** Start of the last attempt. */
  startedAt?: string;
  endedAt?: string;
  outcome: StepOutcome;
  /** Why the last failed attempt failed, even when a later one succeeded. */
  error?: FailureReason;
  /** Set while an operator has paused it in the engine. */
  operatorPause?: { since?: string; identity?: string; reason?: string };
}

/** What one run of a file's workflow did. Stored permanently; the engine drops histories after its retention period. */
export interface TimelineRun {
  generation: number;
  runId: string;
  startedAt: string;
  endedAt?: string;
  outcome: RunOutcome;
  /** Why the run ended, when it did not end by itself. */
  reason?: FailureReason;
  steps: TimelineStep[];
}
