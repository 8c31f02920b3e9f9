import { retryAfterSeconds } from '../../domain/retry-after.ts';
import { GoogleError, type GoogleErrorCode } from './google-error.ts';

const TIMEOUT_MS = 60_000;
/** The longest expected answer has the properties of a spreadsheet. */
const MAX_ANSWER_BYTES = 1024 * 1024;
/** Reasons of a 403 that are rate limits. */
const RATE_REASONS = /rateLimitExceeded|userRateLimitExceeded|RESOURCE_EXHAUSTED|RATE_LIMIT_EXCEEDED/;

export interface GoogleCall {
  method: 'GET' | 'POST' | 'PUT';
  url: URL;
  accessToken?: string;
  /** A form; any other object is sent as JSON. */
  body?: URLSearchParams | object;
  signal: AbortSignal;
}

/**
 * Sends a request to Google and returns the JSON of its answer. The addresses are the operator's, never a tenant's;
 * redirects are not followed.
 *
 * @throws GoogleError; the reason of the signal when that is aborted
 */
export async function callGoogle({ method, url, accessToken, body, signal }: GoogleCall): Promise<unknown> {
  const isForm = body instanceof URLSearchParams;
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, {
      method,
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      headers: {
        ...(accessToken !== undefined && { Authorization: `Bearer ${accessToken}` }),
        ...(body && !isForm && { 'Content-Type': 'application/json' }),
      },
      ...(body && { body: isForm ? body : JSON.stringify(body) }),
    });
    text = await readText(response);
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof GoogleError) throw cause;
    throw new GoogleError('CONNECTION_UNAVAILABLE', 'Google cannot be reached', { cause });
  }
  if (!response.ok) throw toGoogleError(response, text);
  try {
    return JSON.parse(text === '' ? '{}' : text);
  } catch (cause) {
    throw new GoogleError('CONNECTION_UNAVAILABLE', 'Google answered something that is not JSON', { cause });
  }
}

function toGoogleError({ status, headers }: Response, text: string): GoogleError {
  const message = `Google answered ${status}${reasonOf(text)}`;
  const wait = retryAfterSeconds(headers.get('retry-after'));
  const retryAfter = { ...(wait !== undefined && { retryAfterSeconds: wait }) };
  return new GoogleError(codeOf(status, text), message, retryAfter);
}

function codeOf(status: number, text: string): GoogleErrorCode {
  if (status === 429 || (status === 403 && RATE_REASONS.test(text))) return 'CONNECTION_RATE_LIMITED';
  if (status === 401 || text.includes('invalid_grant')) return 'CONNECTION_REVOKED';
  if (status === 404) return 'SPREADSHEET_GONE';
  return status >= 500 || status === 408 ? 'CONNECTION_UNAVAILABLE' : 'CONNECTION_REJECTED';
}

/** Google's error message: `error.message` of its APIs, or `error_description` of its token endpoint. */
function reasonOf(text: string): string {
  try {
    const { error, error_description: described } = JSON.parse(text) as Record<string, unknown>;
    const said =
      described ?? (typeof error === 'object' && error && 'message' in error ? error.message : error);
    return typeof said === 'string' && said !== '' ? `: ${said.slice(0, 300)}` : '';
  } catch {
    return '';
  }
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_ANSWER_BYTES) {
      throw new GoogleError('CONNECTION_UNAVAILABLE', 'Google answered with more than 1 MB');
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
