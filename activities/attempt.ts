import { Context } from '@temporalio/activity';
import { CancelledFailure, type ApplicationFailure } from '@temporalio/common';
import { outage } from '../services/shared/outage.ts';
import { retryableFailure, permanentFailure } from '../temporal/contract/failures.ts';

const HEARTBEAT_MS = 1000;
/** An attempt ends itself a little before the engine would, so that it can say why. */
const SHARE_OF_TIME = 0.95;
/** A file that ends this many attempts by killing what works on it, or by a defect, will go on doing so. */
export const MAX_COUNTED_FAILURES = 3;

/** What an attempt that failed means for the next. */
export type Verdict =
  /** A fact that no retry can change. */
  | { kind: 'permanent'; code: string; message: string }
  /** Trouble of somebody else's that will pass: waited out without end. */
  | { kind: 'passing'; code: string; message: string; retryAfterSeconds?: number | undefined }
  /** May be the file's own fault: three of these, and it is. */
  | { kind: 'strike'; code: string; message: string };

/**
 * Runs one attempt of an activity with a sign of life each second, and decides by the verdict on its failure whether
 * there will be another. Outages of our own servers are known here; `judge` knows the rest.
 *
 * Strikes are counted in the heartbeat details, which outlive the worker: an attempt is a strike from its start until
 * it ends otherwise, so one that takes its worker down with it counts as well.
 *
 * @param work  gets a signal that is aborted when the attempt is cancelled, out of time, or its worker stops
 * @param judge undefined for what it does not know, which is a defect and a strike
 */
export async function attempt<T>(
  work: (signal: AbortSignal) => Promise<T>,
  judge: (error: unknown) => Verdict | undefined,
): Promise<T> {
  const context = Context.current();
  const strikes = (context.info.heartbeatDetails as { strikes?: number } | undefined)?.strikes ?? 0;
  if (strikes >= MAX_COUNTED_FAILURES) {
    throw permanentFailure(
      'WORKER_LOST',
      `the worker vanished while it worked on this, ${MAX_COUNTED_FAILURES} times`,
    );
  }
  const beat = (count: number) => context.heartbeat({ strikes: count });
  beat(strikes + 1);
  const timer = setInterval(() => beat(strikes + 1), HEARTBEAT_MS);
  const outOfTime = AbortSignal.timeout(context.info.startToCloseTimeoutMs * SHARE_OF_TIME);
  try {
    return await work(AbortSignal.any([context.cancellationSignal, outOfTime]));
  } catch (error) {
    clearInterval(timer);
    if (error instanceof CancelledFailure) {
      beat(strikes);
      throw error;
    }
    const verdict = judge(error) ?? (outOfTime.aborted ? TOO_SLOW : known(error));
    if (verdict.kind === 'passing') beat(strikes);
    throw failure(verdict, strikes + 1, error);
  } finally {
    clearInterval(timer);
  }
}

const TOO_SLOW: Verdict = {
  kind: 'strike',
  code: 'TIMED_OUT',
  message: 'the work took longer than it may',
};

function known(error: unknown): Verdict {
  const down = outage(error);
  if (down) return { kind: 'passing', code: 'SERVER_UNAVAILABLE', message: `the ${down} cannot be reached` };
  return { kind: 'strike', code: 'INTERNAL', message: 'an unexpected error; the log of the worker has it' };
}

function failure(verdict: Verdict, strikes: number, error: unknown): ApplicationFailure {
  const { code, message } = verdict;
  const cause = error instanceof Error ? error : undefined;
  if (verdict.kind === 'permanent') return permanentFailure(code, message, cause);
  if (verdict.kind === 'strike' && strikes >= MAX_COUNTED_FAILURES) {
    return permanentFailure(code, `${message}, ${MAX_COUNTED_FAILURES} times`, cause);
  }
  const retryAfterSeconds = verdict.kind === 'passing' ? verdict.retryAfterSeconds : undefined;
  return retryableFailure(code, message, {
    ...(cause && { cause }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}
