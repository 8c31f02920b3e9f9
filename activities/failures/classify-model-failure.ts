import { isFinal, ModelError } from '../../adapters/models/model-error.ts';
import type { FailureClass } from '../attempt.ts';

/**
 * Classifies failures of a model. Outages and rate limits are retried without limit; invalid replies are counted, since
 * an endpoint may repeat them. A model that has seen its errors is not asked again.
 */
export function classifyModelFailure(error: unknown): FailureClass | undefined {
  if (!(error instanceof ModelError)) return undefined;
  const { code, message, retryAfterSeconds } = error;
  if (isFinal(error)) return { kind: 'permanent', code, message };
  if (code === 'MODEL_INVALID_REPLY') return { kind: 'counted', code, message };
  return { kind: 'retryable', code, message, retryAfterSeconds };
}
