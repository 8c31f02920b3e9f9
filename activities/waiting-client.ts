import { Context } from '@temporalio/activity';
import { ModelError } from '../adapters/models/model-error.ts';
import type { AttemptControls, FailureClass } from './attempt.ts';

/** A model that has not answered within this time counts as hanging; given less time, it may only be slow. */
const ENOUGH_MS = 30_000;

/**
 * Calls a model for a waiting client, with the client's deadline. A client with a very short deadline can read the
 * answer later; one with a long deadline gets an error if the model does not respond.
 *
 * @throws ModelError MODEL_TIMEOUT
 */
export async function answeredInTime<T>(
  { signal }: AttemptControls,
  giveUpAt: string | undefined,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const left = giveUpAt === undefined ? 0 : Date.parse(giveUpAt) - Date.now();
  const { attempt: number } = Context.current().info;
  const isLast = left >= ENOUGH_MS || (number > 1 && left > 0);
  if (!isLast) return call(signal);
  const patience = AbortSignal.timeout(left);
  try {
    return await call(AbortSignal.any([signal, patience]));
  } catch (error) {
    if (!patience.aborted || signal.aborted) throw error;
    throw new ModelError(
      'MODEL_TIMEOUT',
      `the model endpoint did not answer within ${Math.round(left / 1000)} seconds`,
      { cause: error },
    );
  }
}

/**
 * Pause between two calls of an unavailable model while a client waits; the usual pauses would outlast its deadline.
 */
const WAITED_FOR_SECONDS = 2;

/** An outage that would outlast the client's deadline is final. */
export function orGiveUp(
  failure: FailureClass | undefined,
  giveUpAt: string | undefined,
): FailureClass | undefined {
  if (failure?.kind !== 'retryable' || giveUpAt === undefined) return failure;
  const { code, message, retryAfterSeconds = WAITED_FOR_SECONDS } = failure;
  // Only an operator can fix the key, and no client waits that long.
  if (code === 'MODEL_UNAUTHORIZED') return { kind: 'permanent', code, message };
  const next = Date.now() + retryAfterSeconds * 1000;
  if (next > Date.parse(giveUpAt)) return { kind: 'permanent', code, message };
  return { ...failure, retryAfterSeconds };
}
