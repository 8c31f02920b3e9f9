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
/** Retry delay of a step whose upload session is paused; a resume cuts it short (end-session-pause.ts). */
const PAUSE_SECONDS = 30;
/** An attempt times out slightly before the engine's limit, so that it can report why. */
const TIMEOUT_SHARE = 0.95;
/** After this many attempts that crash their worker or decoder, or hit a defect, further retries are pointless. */
export const MAX_COUNTED_FAILURES = 3;

/** How a failed attempt affects the next. */
export type FailureClass =
  /** No retry can change it. */
  | { kind: 'permanent'; code: string; message: string }
  /** Transient and not the file's fault: retried without limit. `expected` failures are part of normal operation. */
  | {
      kind: 'retryable';
      code: string;
      message: string;
      retryAfterSeconds?: number | undefined;
      expected?: boolean;
    }
  /** Possibly the file's own fault: final after MAX_COUNTED_FAILURES of them. */
  | { kind: 'counted'; code: string; message: string };

/**
 * Runs one attempt of an activity with a heartbeat each second, and classifies its failure to decide whether the engine
 * retries. Outages of our own servers are recognised here; `classify` covers the rest.
 *
 * Failures are counted in the heartbeat details, which outlive the worker: an attempt counts as failed from its start
 * until it ends otherwise, so one that crashes its worker counts as well.
 *
 * @param work     gets a signal that is aborted when the attempt is cancelled, times out, or its worker stops
 * @param classify returns undefined for an unknown error, which counts as a defect
 */
export async function attempt<T>(
  work: (signal: AbortSignal) => Promise<T>,
  classify: (error: unknown) => FailureClass | undefined,
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
  const timeout = AbortSignal.timeout(context.info.startToCloseTimeoutMs * TIMEOUT_SHARE);
  try {
    return await work(AbortSignal.any([context.cancellationSignal, timeout]));
  } catch (error) {
    clearInterval(timer);
    if (error instanceof CancelledFailure) {
      beat(counted);
      throw error;
    }
    const failure = classify(error) ?? (timeout.aborted ? TIMED_OUT : classifyCommonFailure(error));
    if (failure.kind === 'retryable') beat(counted);
    throw toApplicationFailure(failure, counted + 1, error);
  } finally {
    clearInterval(timer);
  }
}

const TIMED_OUT: FailureClass = {
  kind: 'counted',
  code: 'TIMED_OUT',
  message: 'the work exceeded its time limit',
};

function classifyCommonFailure(error: unknown): FailureClass {
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
  return { kind: 'counted', code: 'INTERNAL', message: 'an unexpected error; see the worker log' };
}

function toApplicationFailure(failure: FailureClass, counted: number, error: unknown): ApplicationFailure {
  const { code, message } = failure;
  const cause = error instanceof Error ? error : undefined;
  if (failure.kind === 'permanent') return permanentFailure(code, message, cause);
  if (failure.kind === 'counted' && counted >= MAX_COUNTED_FAILURES) {
    return permanentFailure(code, `${message}, ${MAX_COUNTED_FAILURES} times`, cause);
  }
  const retryAfterSeconds = failure.kind === 'retryable' ? failure.retryAfterSeconds : undefined;
  return retryableFailure(code, message, {
    ...(cause && { cause }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    ...(failure.kind === 'retryable' && failure.expected && { expected: true }),
  });
}
