import {
  ActivityFailure,
  ApplicationFailure,
  ApplicationFailureCategory,
  CancelledFailure,
  TerminatedFailure,
  TimeoutFailure,
  WorkflowExecutionAlreadyStartedError,
} from '@temporalio/common';
import type { FailureReason } from '../../domain/components.ts';
import { printable } from '../../domain/printable.ts';

/** The upload session of the file is paused: the attempt that finds it so is retried until the session goes on. */
export const SESSION_PAUSED = 'SESSION_PAUSED';
/** The upload session of the file was cancelled: the attempt that finds it so cancels the run. */
export const SESSION_CANCELLED = 'SESSION_CANCELLED';

/** A fact that a retry cannot change: the activity fails at once and for good. */
export function permanentFailure(code: string, message: string, cause?: Error): ApplicationFailure {
  return ApplicationFailure.create({ type: code, message, nonRetryable: true, ...(cause && { cause }) });
}

/**
 * A failure that may pass. `retryAfterSeconds` overrides the backoff of the class of work; `expected` keeps it out of the
 * engine's warnings and failure metrics.
 */
export function retryableFailure(
  code: string,
  message: string,
  options: { cause?: Error; retryAfterSeconds?: number; expected?: boolean } = {},
): ApplicationFailure {
  return ApplicationFailure.create({
    type: code,
    message,
    ...(options.expected && { category: ApplicationFailureCategory.BENIGN }),
    ...(options.cause && { cause: options.cause }),
    ...(options.retryAfterSeconds !== undefined && {
      nextRetryDelay: `${options.retryAfterSeconds} seconds`,
    }),
  });
}

/**
 * The reason of a failed activity or run, for people. The workflow applies it to what it caught, the history fold to
 * what the engine recorded: both see the same failure objects.
 */
export function failureReason(failure: unknown): FailureReason {
  const { code, message } = plainReason(failure);
  return { code: printable(code, 100), message: printable(message) };
}

function plainReason(failure: unknown): FailureReason {
  const cause = failure instanceof ActivityFailure && failure.cause ? failure.cause : failure;
  if (cause instanceof ApplicationFailure) {
    return { code: cause.type ?? 'INTERNAL', message: cause.message };
  }
  if (cause instanceof TimeoutFailure) {
    return cause.timeoutType === 'HEARTBEAT'
      ? {
          code: 'WORKER_LOST',
          message: 'the worker vanished while it worked on this, each time it was tried',
        }
      : { code: 'TIMED_OUT', message: 'the work took longer than it may' };
  }
  if (cause instanceof CancelledFailure) return { code: 'CANCELLED', message: 'the work was cancelled' };
  if (cause instanceof TerminatedFailure)
    return { code: 'TERMINATED', message: 'the workflow was terminated' };
  return { code: 'INTERNAL', message: cause instanceof Error ? cause.message : 'unknown failure' };
}

/** Whether a workflow could not be started because its id is taken, or was. */
export function isAlreadyStarted(failure: unknown): boolean {
  return failure instanceof WorkflowExecutionAlreadyStartedError;
}
