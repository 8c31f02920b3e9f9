import type { TokenUsage } from '../../domain/token-usage.ts';

/**
 * - `MODEL_RATE_LIMITED`: too many calls; `retryAfterSeconds` when the endpoint says so
 * - `MODEL_UNAVAILABLE`: unreachable, failing, or not configured for this model; retryable
 * - `MODEL_TIMEOUT`: no complete answer in time
 * - `MODEL_INVALID_REPLY`: a reply that is too large or no reply of such an endpoint; the next one may be
 * - `MODEL_INVALID_ANSWER`: a reply whose answer is not of the shape asked for, even after the model saw its errors
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
  /** When the endpoint accepts the next call. */
  readonly retryAfterSeconds?: number;
  /** Of the calls that were answered nonetheless, and so are billed. */
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

/** Whether the same question will not be answered either: another attempt would only pay again. */
export function isFinal({ code }: ModelError): boolean {
  return code === 'MODEL_REFUSED' || code === 'MODEL_INVALID_ANSWER';
}
