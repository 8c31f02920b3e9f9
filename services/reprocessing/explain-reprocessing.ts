import type { ReprocessingState } from './find-reprocessing.ts';

/** One sentence: how far a reprocessing is, and the cause of any wait. */
export function explainReprocessing({ row, processing }: ReprocessingState): string {
  const { status, totalCount, completedCount, failedCount, skippedCount } = row;
  const ended = completedCount + failedCount + skippedCount;
  const so = `${ended} of ${totalCount} files ended (${failedCount} failed, ${skippedCount} skipped), ${processing} in progress`;
  switch (status) {
    case 'processing':
      return `${so}.`;
    case 'paused':
      return `${so}; no further file begins: ${row.pauseReason?.message ?? 'paused'}.`;
    case 'failed':
      return `${so}; it failed: ${row.error?.message ?? 'unknown failure'}.`;
    case 'rolling_back':
    case 'rolled_back':
      return `${so}; ${row.restoredCount} descriptions put back.`;
    case 'completed':
    case 'cancelled':
      return `${so}; it is ${status}.`;
  }
}
