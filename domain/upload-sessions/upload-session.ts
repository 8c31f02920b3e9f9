/** Statuses of an upload session. The last four are terminal. */
export const UPLOAD_SESSION_STATUSES = [
  'pending',
  'uploading',
  'processing',
  'completed',
  'failed',
  'expired',
  'cancelled',
] as const;
export type UploadSessionStatus = (typeof UPLOAD_SESSION_STATUSES)[number];

export const OPEN_UPLOAD_SESSION_STATUSES = ['pending', 'uploading', 'processing'] as const;

export const UPLOAD_METHODS = ['streaming', 'presigned'] as const;
export type UploadMethod = (typeof UPLOAD_METHODS)[number];

/**
 * Upload state of one file of a session: `uploading` while its bytes arrive, `stored` once it has its own row,
 * `skipped` for a duplicate, `rejected` when the service refused it, `missing` when it never arrived completely.
 */
export const ITEM_STATES = ['uploading', 'stored', 'skipped', 'rejected', 'missing'] as const;
export type ItemState = (typeof ITEM_STATES)[number];

/** Categories in which files of a session are counted. */
export const ITEM_OUTCOMES = ['completed', 'failed', 'skipped', 'pending'] as const;
export type ItemOutcomeName = (typeof ITEM_OUTCOMES)[number];

/** The cause of sealing: the client, a broken connection, expiry, or a cancellation. */
export const SEALED_BY = ['client', 'connection', 'expiry', 'cancel'] as const;
export type SealedBy = (typeof SEALED_BY)[number];

/** Every file of a session counts in exactly one of the last four, so they add up to `total`. */
export interface FileCounts {
  total: number;
  /** Files with results, possibly partial. */
  completed: number;
  failed: number;
  skipped: number;
  /** Not ended yet; in a cancelled session, never started. */
  pending: number;
}

export function isOpenUploadSession(status: UploadSessionStatus): boolean {
  return (OPEN_UPLOAD_SESSION_STATUSES as readonly string[]).includes(status);
}

/**
 * The state a session requires of a file in progress: to wait while the session is paused, to stop once it is
 * cancelled. A file that was retried individually after the cancellation keeps running.
 *
 * @param fileStartedAt when the current generation of the file was started
 */
export function desiredFileState(
  session: {
    status: UploadSessionStatus;
    pausedAt?: Date | null | undefined;
    completedAt?: Date | null | undefined;
  },
  fileStartedAt: Date | null | undefined,
): 'run' | 'pause' | 'cancel' {
  const { status, pausedAt, completedAt } = session;
  if (isOpenUploadSession(status)) return pausedAt ? 'pause' : 'run';
  const startedBefore = fileStartedAt && completedAt && fileStartedAt <= completedAt;
  return status === 'cancelled' && startedBefore ? 'cancel' : 'run';
}

/** The terminal status of a session whose files have all ended. */
export function uploadSessionOutcome(
  counts: FileCounts,
  sealedBy: SealedBy | null,
): 'completed' | 'failed' | 'expired' {
  if (sealedBy === 'expiry') return 'expired';
  return counts.total > 0 && counts.failed === counts.total ? 'failed' : 'completed';
}

/** How a session ended, in one word: `partial` if some of its files failed. */
export const UPLOAD_SESSION_OUTCOMES = ['completed', 'partial', 'failed', 'expired', 'cancelled'] as const;

/** @returns null while it is open */
export function outcomeInOneWord(
  status: UploadSessionStatus,
  { failed }: FileCounts,
): (typeof UPLOAD_SESSION_OUTCOMES)[number] | null {
  if (status === 'pending' || status === 'uploading' || status === 'processing') return null;
  return status === 'completed' && failed > 0 ? 'partial' : status;
}

/** Share of the files that have ended, 0–100 with one decimal. */
export function progressPercentage({ total, pending }: FileCounts): number {
  return total === 0 ? 0 : Math.round(((total - pending) / total) * 1000) / 10;
}

/** Estimated end at the average pace so far; undefined while no file has ended or none is pending. */
export function estimateCompletion(counts: FileCounts, startedAt: Date, now: Date): Date | undefined {
  const ended = counts.total - counts.pending;
  if (ended === 0 || counts.pending === 0) return undefined;
  const each = (now.getTime() - startedAt.getTime()) / ended;
  return new Date(now.getTime() + each * counts.pending);
}

/** Overall status in the response to a batch upload. */
export function batchStatus(counts: {
  accepted: number;
  skipped: number;
  rejected: number;
}): 'completed' | 'partial' | 'processing' | 'rejected' {
  const { accepted, skipped, rejected } = counts;
  if (accepted + skipped === 0) return 'rejected';
  if (rejected > 0) return 'partial';
  return accepted > 0 ? 'processing' : 'completed';
}
