import { z } from 'zod';
import { ANSWERED_CODES, AppError, ERRORS, type AnsweredCode } from '../../domain/app-error.ts';
import { currentTraceId } from '../../domain/tracing.ts';

export const errorCode = z.enum(ANSWERED_CODES).meta({
  id: 'ErrorCode',
  description: 'The reason, for programs; the responses that have a code explain it',
});

/** Schema of one wrong field. */
export const fieldError = z
  .object({
    pointer: z.string().describe('JSON pointer into the request, such as `/body/title`'),
    message: z.string().describe('What is wrong with the field'),
  })
  .meta({ id: 'FieldError' });

/** Schema of every error response. */
export const problem = z
  .object({
    detail: z.string().describe('The problem, the limit and the next step, for people'),
    code: errorCode.describe('The reason, for programs; each response explains its codes'),
    request_id: z.string().describe('Id of the request, as in the header `X-Request-Id` and in our logs'),
    trace_id: z
      .string()
      .optional()
      .describe(
        'Id of the OpenTelemetry trace, where the service makes traces; a `traceparent` gives its own',
      ),
    errors: z.array(fieldError).optional().describe('The wrong fields, up to 20'),
    error_count: z.int().min(1).optional().describe('Total number of wrong fields'),
    suggestion: z
      .object({
        endpoint: z.string().describe('Path of the operation to use instead'),
        message: z.string().describe('Why it fits better'),
      })
      .optional()
      .describe('Another way to do the same'),
  })
  .meta({ id: 'Problem', description: 'Every error response' });

export interface RenderedError {
  status: number;
  headers: Record<string, string>;
  body: z.input<typeof problem>;
}

/** The response for an error. For a defect it has only the ids, under which the log has the details. */
export function renderError(error: unknown, requestId: string): RenderedError {
  const traceId = currentTraceId();
  const ids = { request_id: requestId, ...(traceId !== undefined && { trace_id: traceId }) };
  if (!(error instanceof AppError)) {
    const detail = 'internal error; quote this request id to support';
    const { status } = ERRORS.INTERNAL;
    return { status, headers: {}, body: { detail, code: 'INTERNAL', ...ids } };
  }
  const { errors, errorCount, suggestion, retryAfterSeconds } = error.details;
  const { status, final } = ERRORS[error.code];
  const headers: Record<string, string> = {};
  if (retryAfterSeconds !== undefined) headers['Retry-After'] = String(retryAfterSeconds);
  // Clients repeat a 500 by themselves.
  if (final) headers['x-should-retry'] = 'false';
  if (error.code === 'UNAUTHENTICATED') headers['WWW-Authenticate'] = 'Bearer';
  return {
    status,
    headers,
    body: {
      detail: error.message,
      code: error.code,
      ...ids,
      ...(errors && { errors, error_count: errorCount ?? errors.length }),
      ...(suggestion && { suggestion }),
    },
  };
}

/** Whether a response is an error of the service, for its logs and metrics. */
export function isServiceError(status: number, code: AnsweredCode | undefined): boolean {
  return status >= 500 && !(code && ERRORS[code].final);
}
