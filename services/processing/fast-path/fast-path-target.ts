import type { FileTarget } from '../file-target.ts';

/** The file that a fast path works on, and the run that has just begun it. */
export interface FastPathTarget extends FileTarget {
  runId: string;
  /** Of the row since this run has begun. */
  seq: number;
  /** The provider whose model is to describe the file. */
  visionProvider: string;
  /** ISO 8601. Start of the run. */
  runStartedAt: string;
  /** ISO 8601. When this activity was scheduled. */
  scheduledAt: string;
}
