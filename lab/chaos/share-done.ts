/** How far a run has come. */
export interface Counts {
  /** Of the plan. */
  files: number;
  /** Different contents of the plan. Duplicates share the file that they duplicate. */
  contents: number;
  /** Whether the client has not yet had the last answer, or given up. */
  uploading: boolean;
  /** Files that the API has taken. */
  accepted: number;
  /** Different files that it is known to have stored. */
  stored: number;
  ended: number;
}

/**
 * The share of a run that is done, 0 to 1. What the client has given up can no longer come: once it uploads nothing more,
 * all is done when the files that arrived have ended.
 */
export function shareDone({ files, contents, uploading, accepted, stored, ended }: Counts): number {
  const expected = uploading ? contents : stored;
  return ((uploading ? accepted / files : 1) + (expected === 0 ? 1 : ended / expected)) / 2;
}
