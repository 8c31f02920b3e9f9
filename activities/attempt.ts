import { Context } from '@temporalio/activity';
import { CancelledFailure, type ApplicationFailure } from '@temporalio/common';
import { bucketRetrySeconds, isBucketFailure } from '../domain/bucket-failure.ts';
import { outage } from '../services/shared/outage.ts';
import { FileGone, UploadSessionCancelled, UploadSessionPaused } from '../services/processing/file-target.ts';
import {
  permanentFailure,
  retryableFailure,
  UPLOAD_SESSION_CANCELLED,
  UPLOAD_SESSION_PAUSED,
} from '../temporal/contract/failures.ts';
import type { HeartbeatDetails } from '../temporal/contract/process-file.ts';

const HEARTBEAT_MS = 1000;
/** Retry delay of a step whose upload session is paused; a resume cuts it short (end-upload-session-pause.ts). */
const PAUSE_SECONDS = 30;
/** An attempt times out slightly before the engine's limit, so that it can report why. */
const TIMEOUT_SHARE = 0.95;
/** After this many attempts that crash their reader or decoder, or hit a defect, further retries are pointless. */
export const MAX_COUNTED_FAILURES = 3;
/**
 * After this many attempts that lost their worker, further retries are pointless. The cause may be another
 * file, or none; crashes of a file's own reader are counted separately, with a much lower limit.
 */
export const MAX_LOST_WORKERS = 10;

/** This process, unlike any other worker and unlike itself after a restart. */
const PROCESS = `${process.pid}@${Math.round(performance.timeOrigin)}`;

/** How a failed attempt affects the next. */
export type FailureClass =
  /** No retry can change it. `expected` ones are part of normal operation. */
  | { kind: 'permanent'; code: string; message: string; expected?: boolean }
  /** Transient and not the file's fault: retried without limit. `expected` failures are part of normal operation. */
  | {
      kind: 'retryable';
      code: string;
      message: string;
      retryAfterSeconds?: number | undefined;
      expected?: boolean;
    }
  /** Possibly the file's own fault: final after MAX_COUNTED_FAILURES of them. */
  | { kind: 'counted'; code: string; message: string; retryAfterSeconds?: number | undefined };

/** Controls passed to the work of an attempt. */
export interface AttemptControls {
  /** Aborted when the attempt is cancelled, times out, or its worker stops. */
  signal: AbortSignal;
  /** Reports the step that the work has reached, for `describe` and for the next attempt. */
  onStep: (step: string) => void;
  /** State kept by an earlier attempt. */
  kept: unknown;
  /** Stores state in the engine for the next attempt, on any worker. */
  keep: (answer: unknown) => void;
}

/**
 * Runs one attempt of an activity with a heartbeat each second, and classifies its failure to decide whether the engine
 * retries. Outages of our own servers are recognised here; `classify` covers the rest.
 *
 * Failures are counted in the heartbeat details, which outlive the worker: an attempt counts as lost from its first
 * heartbeat until it ends, so an attempt whose worker vanishes is counted. One that this process began and lost is not: the
 * process was suspended, with its machine or by an operator, and has come back. The first heartbeat of a first attempt
 * comes after a second, by which most have ended: a heartbeat is a write of the engine, as expensive as the end of a step.
 *
 * @param classify returns undefined for an unknown error, which counts as a defect
 * @param counting false for work whose crashes do not count
 */
export async function attempt<T>(
  work: (controls: AttemptControls) => Promise<T>,
  classify: (error: unknown) => FailureClass | undefined,
  { counting = true }: { counting?: boolean } = {},
): Promise<T> {
  const context = Context.current();
  const earlier = earlierHeartbeat();
  const counted = counting ? (earlier.counted ?? 0) : 0;
  const suspended = earlier.process === PROCESS;
  const lost = Math.max((earlier.lost ?? 0) - (suspended ? 1 : 0), 0);
  if (counting && (lost >= MAX_LOST_WORKERS || counted >= MAX_COUNTED_FAILURES)) {
    throw permanentFailure('WORKER_LOST', `the worker vanished while it worked on this, ${lost} times`);
  }
  let step: string | undefined;
  let { kept } = earlier;
  const beat = (counts: Pick<HeartbeatDetails, 'counted' | 'lost' | 'process'>): void => {
    const details: HeartbeatDetails = {
      ...(counting && counts),
      ...(earlier.returned !== undefined && { returned: earlier.returned }),
      ...(step && { step }),
      ...(kept !== undefined && { kept }),
    };
    context.heartbeat(details);
  };
  const running = { counted, lost: lost + 1, process: PROCESS };
  if (counting && context.info.attempt > 1) beat(running);
  const timer = setInterval(() => beat(running), HEARTBEAT_MS);
  const timeout = AbortSignal.timeout(context.info.startToCloseTimeoutMs * TIMEOUT_SHARE);
  const signal = AbortSignal.any([context.cancellationSignal, timeout]);
  try {
    return await work({
      signal,
      onStep: (reached) => void (step = reached),
      kept,
      keep: (answer) => void (kept = answer),
    });
  } catch (error) {
    clearInterval(timer);
    if (error instanceof CancelledFailure) {
      if (counting) beat({ counted, lost });
      throw error;
    }
    const failure = classify(error) ?? (timeout.aborted ? TIMED_OUT : classifyCommonFailure(error));
    const total = failure.kind === 'retryable' ? counted : counted + 1;
    if (counting) beat({ counted: total, lost });
    throw toApplicationFailure(failure, total, error);
  } finally {
    clearInterval(timer);
  }
}

/** Details of the attempts before this one; empty before the first heartbeat. */
export function earlierHeartbeat(): HeartbeatDetails {
  return (Context.current().info.heartbeatDetails as HeartbeatDetails | undefined) ?? {};
}

const TIMED_OUT: FailureClass = {
  kind: 'counted',
  code: 'TIMED_OUT',
  message: 'the work exceeded its time limit',
};

function classifyCommonFailure(error: unknown): FailureClass {
  if (error instanceof FileGone) return { kind: 'permanent', code: 'FILE_GONE', message: error.message };
  if (error instanceof UploadSessionCancelled) {
    return { kind: 'permanent', code: UPLOAD_SESSION_CANCELLED, message: error.message };
  }
  if (error instanceof UploadSessionPaused) {
    const { message } = error;
    return {
      kind: 'retryable',
      code: UPLOAD_SESSION_PAUSED,
      message,
      retryAfterSeconds: PAUSE_SECONDS,
      expected: true,
    };
  }
  if (isBucketFailure(error)) {
    const { code, message } = error;
    const retryAfterSeconds = bucketRetrySeconds(Context.current().info.attempt);
    return { kind: 'retryable', code, message, retryAfterSeconds };
  }
  const down = outage(error);
  if (down)
    return { kind: 'retryable', code: 'SERVER_UNAVAILABLE', message: `the ${down} cannot be reached` };
  return { kind: 'counted', code: 'INTERNAL', message: 'an unexpected error; the log of the worker has it' };
}

function toApplicationFailure(failure: FailureClass, counted: number, error: unknown): ApplicationFailure {
  const { code, message } = failure;
  const cause = error instanceof Error ? error : undefined;
  if (failure.kind === 'permanent') {
    const { expected = false } = failure;
    return permanentFailure(code, message, { expected, ...(cause && { cause }) });
  }
  if (failure.kind === 'counted' && counted >= MAX_COUNTED_FAILURES) {
    return permanentFailure(code, `${message}, ${MAX_COUNTED_FAILURES} times`, cause && { cause });
  }
  const { retryAfterSeconds } = failure;
  return retryableFailure(code, message, {
    ...(cause && { cause }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    ...(failure.kind === 'retryable' && failure.expected && { expected: true }),
  });
}
