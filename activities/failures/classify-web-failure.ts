import { WebFetchError } from '../../adapters/web-fetch/web-fetch-error.ts';
import { AppError } from '../../domain/app-error.ts';
import type { FailureClass } from '../attempt.ts';

/** Classifies failures to fetch something from the web: what may pass is tried again a few times. */
export function classifyWebFailure(error: unknown): FailureClass | undefined {
  if (error instanceof WebFetchError) {
    const { code, message, passing } = error;
    return { kind: passing ? 'counted' : 'permanent', code, message };
  }
  if (error instanceof AppError) return { kind: 'permanent', code: error.code, message: error.message };
  return undefined;
}
