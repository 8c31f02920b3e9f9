import type { Workflow } from './workflow.ts';

/**
 * `purgeFiles`, ids `schedule/purge-{time}` and `purge/now`, queue `workflows`: permanently removes files whose time in
 * the trash is over, page by page: vectors, then objects, then rows, with a receipt for each file; last the records of
 * direct uploads that failed long ago and old entries of the audit log. Each step is idempotent, and the next run finishes what one left incomplete.
 */
export interface PurgeFilesInput {
  /** How long a file must have been in the trash. */
  days: number;
  /** Instead, the day counts that each file was given when it got there. Workers of earlier versions go by `days`. */
  byFile?: true;
  /** Progress of an earlier run of the same purge. */
  progress?: PurgeProgress;
}

export interface PurgeProgress {
  /** ISO 8601: files deleted earlier are due; absent if each file has its day. Fixed at the start, so that a purge terminates. */
  before?: string;
  after?: PurgeCursor;
  purged: number;
  left: number;
}

/** The last file of a page. */
export interface PurgeCursor {
  /** As Postgres writes it, with microseconds. */
  deletedAt: string;
  fileId: string;
}

/** A file that a purge has claimed. */
export interface PurgeCandidate {
  fileId: string;
  tenantId: string;
}

export interface PurgePage {
  files: PurgeCandidate[];
  /** Absent when this was the last page. */
  after?: PurgeCursor;
}

export interface PurgeResult {
  purged: number;
}

/** A purge started by an operator, one at a time. */
export const PURGE_NOW_ID = 'purge/now';

export const PURGE_FILES: Workflow<PurgeFilesInput> = {
  type: 'purgeFiles',
  id: () => PURGE_NOW_ID,
  // An earlier purge may have other `days`.
  reuse: 'when_closed',
  summary: ({ days }) => `Purge of files deleted ${days} days ago or earlier`,
};
