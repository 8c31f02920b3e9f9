/**
 * `purgeFiles`, ids `schedule/purge-{time}` and `purge/now`, queue `workflows`: removes for good what has been in the trash
 * long enough, page by page: vectors, then objects, then rows, with a receipt for each file; last the records of direct
 * uploads that failed long ago. Each step may be repeated,
 * and what one run leaves half done, the next one takes up.
 */
export const PURGE_FILES = 'purgeFiles';

export interface PurgeFilesInput {
  /** How long a file must have been in the trash. */
  days: number;
  /** Where an earlier run of the same purge left off. */
  progress?: PurgeProgress;
}

export interface PurgeProgress {
  /** ISO 8601: files deleted earlier are due. Set once, so that a purge comes to an end. */
  before: string;
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

/** A file that a purge has taken. */
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
