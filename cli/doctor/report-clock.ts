import type { Report } from './finding.ts';

/** Presigned URLs are refused at 15 minutes; orders of events suffer much sooner. */
const MOST_MS = 5_000;

/**
 * Compares a server's clock with ours.
 *
 * @param asked when it was asked, in milliseconds; the answer has just arrived
 */
export function reportClock(report: Report, theirs: Date, asked: number): void {
  const now = Date.now();
  // The clock was read somewhere in between; a header has whole seconds.
  const ahead = Math.max(0, theirs.getTime() - now);
  const behind = Math.max(0, asked - theirs.getTime() - 1000);
  const seconds = Math.max(ahead, behind) / 1000;
  if (seconds * 1000 <= MOST_MS) report.ok('clock', 'agrees with ours');
  else {
    const direction = ahead > 0 ? 'ahead of' : 'behind';
    report.warn(
      'clock',
      `${Math.round(seconds)} s ${direction} ours`,
      'synchronise the clocks (NTP) of both machines',
    );
  }
}
