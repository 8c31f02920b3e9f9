/** Where an upload session stands. The last four are terminal. */
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

/** What still moves by itself. */
export const OPEN_UPLOAD_SESSION_STATUSES = ['pending', 'uploading', 'processing'] as const;

export const UPLOAD_METHODS = ['streaming', 'presigned'] as const;
export type UploadMethod = (typeof UPLOAD_METHODS)[number];

/**
 * What became of one file of a session on its way in: `uploading` while its bytes come, `stored` when it has a row of
 * its own, `skipped` for a duplicate, `rejected` for what we refused, `missing` for what never came whole.
 */
export const ITEM_STATES = ['uploading', 'stored', 'skipped', 'rejected', 'missing'] as const;
export type ItemState = (typeof ITEM_STATES)[number];

/** What a file of a session counts as. */
export const ITEM_OUTCOMES = ['completed', 'failed', 'skipped', 'pending'] as const;
export type ItemOutcomeName = (typeof ITEM_OUTCOMES)[number];

/** Who ended the uploading: the client, its broken connection, the clock, or a cancellation. */
export const SEALED_BY = ['client', 'connection', 'expiry', 'cancel'] as const;
export type SealedBy = (typeof SEALED_BY)[number];

/** Every file of a session is counted in exactly one of the last four, so they add up to `total`. */
export interface FileCounts {
  total: number;
  /** With results, be they partial. */
  completed: number;
  failed: number;
  skipped: number;
  /** Still to come; in a cancelled session, never started. */
  pending: number;
}

export function isOpenUploadSession(status: UploadSessionStatus): boolean {
  return (OPEN_UPLOAD_SESSION_STATUSES as readonly string[]).includes(status);
}

/**
 * What a session wants of a file at work: to wait while it is paused, to stop once it was cancelled. A file that was
 * started again by itself after the cancellation runs on.
 *
 * @param fileStartedAt when the present generation of the file was begun
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

/** Share of the files that have ended, 0–100 with one decimal. */
export function progressPercentage({ total, pending }: FileCounts): number {
  return total === 0 ? 0 : Math.round(((total - pending) / total) * 1000) / 10;
}

/** When the rest will be done if it goes on as it went; undefined while there is nothing to judge by. */
export function estimateCompletion(counts: FileCounts, startedAt: Date, now: Date): Date | undefined {
  const ended = counts.total - counts.pending;
  if (ended === 0 || counts.pending === 0) return undefined;
  const each = (now.getTime() - startedAt.getTime()) / ended;
  return new Date(now.getTime() + each * counts.pending);
}

/** What the answer to a batch upload says of it as a whole. */
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

const CHANNEL = 'batch.';

/** Name of a session's live channel. */
export function uploadSessionChannel(sessionId: string): string {
  return `${CHANNEL}${sessionId}`;
}

/** The session id of a live channel, or undefined for any other name. */
export function parseUploadSessionChannel(channel: string): string | undefined {
  return channel.startsWith(CHANNEL) ? channel.slice(CHANNEL.length) : undefined;
}
