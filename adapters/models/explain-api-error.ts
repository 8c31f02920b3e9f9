import { createRequire } from 'node:module';
import type * as OpenAi from 'openai';
import { retryAfterSeconds } from '../../domain/retry-after.ts';
import { ModelError, type ModelErrorCode } from './model-error.ts';

/** Loaded by the call that failed. */
const require = createRequire(import.meta.url);

/** Not caused by the image: an account without credit, a wrong URL or model name, a busy server. */
const RETRYABLE_4XX = new Set([402, 404, 405, 408, 409, 425]);

/**
 * Maps a failed call to a ModelError.
 *
 * @param context the call's timeout, and the key, which must not appear in any text
 */
export function explainApiError(
  error: unknown,
  context: { timeoutSeconds: number; apiKey: string | undefined },
): ModelError {
  const own = findModelError(error);
  if (own) return own;
  const { APIConnectionError, APIConnectionTimeoutError, APIError } = require('openai') as typeof OpenAi;
  if (error instanceof APIConnectionTimeoutError) {
    return new ModelError(
      'MODEL_TIMEOUT',
      `the model endpoint did not answer within ${context.timeoutSeconds} seconds`,
    );
  }
  if (error instanceof APIConnectionError) {
    return new ModelError('MODEL_UNAVAILABLE', 'the model endpoint cannot be reached', {
      cause: error.cause,
    });
  }
  if (error instanceof APIError && error.status !== undefined) {
    const headers: Headers | undefined = error.headers;
    const redirected = error.status >= 300 && error.status < 400 ? ', a redirect, which is not followed' : '';
    return new ModelError(codeOf(error.status), `the model endpoint answered ${error.status}${redirected}`, {
      // The endpoint's message is for operators; it may repeat the key, in full or masked.
      cause: new Error(redact(error.message, context.apiKey).slice(0, 500)),
      retryAfterSeconds: retryAfterSeconds(headers?.get('retry-after')),
    });
  }
  if (error instanceof SyntaxError) {
    return new ModelError('MODEL_INVALID_REPLY', 'the model endpoint answered something that is not JSON');
  }
  return new ModelError('MODEL_UNAVAILABLE', 'the call to the model endpoint broke off', { cause: error });
}

function codeOf(status: number): ModelErrorCode {
  if (status === 429) return 'MODEL_RATE_LIMITED';
  if (status === 401 || status === 403) return 'MODEL_UNAUTHORIZED';
  return status >= 400 && status < 500 && !RETRYABLE_4XX.has(status) ? 'MODEL_REFUSED' : 'MODEL_UNAVAILABLE';
}

/** Finds a ModelError thrown inside the client, which arrives wrapped as the cause of others. */
function findModelError(error: unknown): ModelError | undefined {
  if (error instanceof ModelError) return error;
  return error instanceof Error ? findModelError(error.cause) : undefined;
}

function redact(text: string, apiKey: string | undefined): string {
  const known = apiKey ? text.replaceAll(apiKey, '[key]') : text;
  return known.replaceAll(/\bsk-[\w*.-]+/g, '[key]');
}
