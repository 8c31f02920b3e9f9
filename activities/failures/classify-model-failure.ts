import { ModelError } from '../../adapters/models/model-error.ts';
import type { FailureClass } from '../attempt.ts';

/**
 * Outages and rate limits are retried without limit; invalid replies are counted, since an endpoint may repeat them. A
 * model that has seen its errors is not asked again.
 */
export function classifyModelFailure(error: unknown): FailureClass | undefined {
  if (!(error instanceof ModelError)) return undefined;
  const { code, message, retryAfterSeconds } = error;
  if (code === 'MODEL_REFUSED' || code === 'MODEL_INVALID_ANSWER')
    return { kind: 'permanent', code, message };
  if (code === 'MODEL_INVALID_REPLY') return { kind: 'counted', code, message };
  return { kind: 'retryable', code, message, retryAfterSeconds };
}
