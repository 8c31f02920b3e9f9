import { Context } from '@temporalio/activity';
import { CancelledFailure, type ApplicationFailure } from '@temporalio/common';
import { outage } from '../services/shared/outage.ts';
import { FileGone, SessionCancelled, SessionPaused } from '../services/processing/file-target.ts';
import {
  permanentFailure,
  retryableFailure,
  SESSION_CANCELLED,
  SESSION_PAUSED,
} from '../temporal/contract/failures.ts';

const HEARTBEAT_MS = 1000;
/** A step of a paused upload session is tried again after this; a resume does not wait for it (end-session-pause.ts). */
const PAUSE_SECONDS = 30;
/** An attempt ends itself a little before the engine would, so that it can say why. */
const SHARE_OF_TIME = 0.95;
/** A file that ends this many attempts by killing what works on it, or by a defect, will go on doing so. */
export const MAX_COUNTED_FAILURES = 3;

/** What an attempt that failed means for the next. */
export type Verdict =
  /** A fact that no retry can change. */
  | { kind: 'permanent'; code: string; message: string }
  /** Not the file's fault, and it will pass: retried without limit. `expected` is no trouble at all. */
  | {
      kind: 'retryable';
      code: string;
      message: string;
      retryAfterSeconds?: number | undefined;
      expected?: boolean;
    }
  /** May be the file's own fault: counted, and after the third it is. */
  | { kind: 'counted'; code: string; message: string };

/**
 * Runs one attempt of an activity with a sign of life each second, and decides by the verdict on its failure whether
 * there will be another. Outages of our own servers are known here; `judge` knows the rest.
 *
 * Failures are counted in the heartbeat details, which outlive the worker: an attempt counts from its start until
 * it ends otherwise, so one that takes its worker down with it counts as well.
 *
 * @param work  gets a signal that is aborted when the attempt is cancelled, out of time, or its worker stops
 * @param judge undefined for what it does not know, which is a defect and counts
 */
export async function attempt<T>(
  work: (signal: AbortSignal) => Promise<T>,
  judge: (error: unknown) => Verdict | undefined,
): Promise<T> {
  const context = Context.current();
  const counted = (context.info.heartbeatDetails as { counted?: number } | undefined)?.counted ?? 0;
  if (counted >= MAX_COUNTED_FAILURES) {
    throw permanentFailure(
      'WORKER_LOST',
      `the worker vanished while it worked on this, ${MAX_COUNTED_FAILURES} times`,
    );
  }
  const beat = (count: number) => context.heartbeat({ counted: count });
  beat(counted + 1);
  const timer = setInterval(() => beat(counted + 1), HEARTBEAT_MS);
  const outOfTime = AbortSignal.timeout(context.info.startToCloseTimeoutMs * SHARE_OF_TIME);
  try {
    return await work(AbortSignal.any([context.cancellationSignal, outOfTime]));
  } catch (error) {
    clearInterval(timer);
    if (error instanceof CancelledFailure) {
      beat(counted);
      throw error;
    }
    const verdict = judge(error) ?? (outOfTime.aborted ? TOO_SLOW : known(error));
    if (verdict.kind === 'retryable') beat(counted);
    throw failure(verdict, counted + 1, error);
  } finally {
    clearInterval(timer);
  }
}

const TOO_SLOW: Verdict = {
  kind: 'counted',
  code: 'TIMED_OUT',
  message: 'the work took longer than it may',
};

function known(error: unknown): Verdict {
  if (error instanceof FileGone) return { kind: 'permanent', code: 'FILE_GONE', message: error.message };
  if (error instanceof SessionCancelled) {
    return { kind: 'permanent', code: SESSION_CANCELLED, message: error.message };
  }
  if (error instanceof SessionPaused) {
    const { message } = error;
    return {
      kind: 'retryable',
      code: SESSION_PAUSED,
      message,
      retryAfterSeconds: PAUSE_SECONDS,
      expected: true,
    };
  }
  const down = outage(error);
  if (down)
    return { kind: 'retryable', code: 'SERVER_UNAVAILABLE', message: `the ${down} cannot be reached` };
  return { kind: 'counted', code: 'INTERNAL', message: 'an unexpected error; the log of the worker has it' };
}

function failure(verdict: Verdict, counted: number, error: unknown): ApplicationFailure {
  const { code, message } = verdict;
  const cause = error instanceof Error ? error : undefined;
  if (verdict.kind === 'permanent') return permanentFailure(code, message, cause);
  if (verdict.kind === 'counted' && counted >= MAX_COUNTED_FAILURES) {
    return permanentFailure(code, `${message}, ${MAX_COUNTED_FAILURES} times`, cause);
  }
  const retryAfterSeconds = verdict.kind === 'retryable' ? verdict.retryAfterSeconds : undefined;
  return retryableFailure(code, message, {
    ...(cause && { cause }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    ...(verdict.kind === 'retryable' && verdict.expected && { expected: true }),
  });
}
