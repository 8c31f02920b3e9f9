import type { TokenUsage } from '../../domain/token-usage.ts';

/**
 * - `MODEL_RATE_LIMITED`: too many calls; `retryAfterSeconds` if the endpoint gives it
 * - `MODEL_UNAVAILABLE`: unreachable, failing, or not configured for this model; retryable
 * - `MODEL_TIMEOUT`: no complete answer in time
 * - `MODEL_INVALID_REPLY`: a reply that is too large or in another format; a retry may succeed
 * - `MODEL_INVALID_ANSWER`: an answer of the wrong shape, even after the model saw its errors
 * - `MODEL_REFUSED`: this image, or this request, will never be answered
 * - `MODEL_UNAUTHORIZED`: the key is invalid or lacks a permission, which only an operator can fix
 */
export type ModelErrorCode =
  | 'MODEL_RATE_LIMITED'
  | 'MODEL_UNAVAILABLE'
  | 'MODEL_TIMEOUT'
  | 'MODEL_INVALID_REPLY'
  | 'MODEL_INVALID_ANSWER'
  | 'MODEL_REFUSED'
  | 'MODEL_UNAUTHORIZED';

/** Why a model gave no answer. The message is safe to show to users; the cause is for operators, without secrets. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  readonly code: ModelErrorCode;
  /** Seconds until the endpoint accepts the next call. */
  readonly retryAfterSeconds?: number;
  /** Tokens of the calls that were answered, and so are billed. */
  readonly usage?: TokenUsage;

  constructor(
    code: ModelErrorCode,
    message: string,
    options: { cause?: unknown; retryAfterSeconds?: number | undefined; usage?: TokenUsage } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    if (options.retryAfterSeconds !== undefined) this.retryAfterSeconds = options.retryAfterSeconds;
    if (options.usage !== undefined) this.usage = options.usage;
  }
}

/** Whether a retry of the same call would fail as well and only cost again. */
export function isFinal({ code }: ModelError): boolean {
  return code === 'MODEL_REFUSED' || code === 'MODEL_INVALID_ANSWER';
}

/** Whether the model refuses what it was asked, not the caller. */
export function isRefusal(error: unknown): error is ModelError {
  return error instanceof ModelError && error.code === 'MODEL_REFUSED';
}
