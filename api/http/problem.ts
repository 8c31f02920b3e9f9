import { z } from 'zod';
import { STATUS_OF } from './errors.ts';
import { MEANING_OF, type AnsweredCode } from './error-meanings.ts';

/** Every code, in the order of the registry. */
export const ANSWERED_CODES = Object.keys(MEANING_OF) as AnsweredCode[];

/** The status of a code. */
export function statusOf(code: AnsweredCode): number {
  return code === 'INTERNAL' ? 500 : STATUS_OF[code];
}

/** Schema of every error code. */
export const errorCode = z
  .enum(ANSWERED_CODES)
  .meta({ id: 'ErrorCode', description: 'For programs; each is explained in the responses that have it' });

/** Schema of one wrong field. */
export const fieldError = z
  .object({
    pointer: z.string().meta({ description: 'JSON pointer into the request, such as `/body/title`' }),
    message: z.string().meta({ description: 'What is wrong with the field' }),
  })
  .meta({ id: 'FieldError' });

/** Schema of every error response. */
export const problem = z
  .object({
    detail: z.string().meta({ description: 'For people: the problem, the limit and the next step' }),
    code: errorCode,
    request_id: z.string().meta({ description: 'As in the header `X-Request-Id` and in our logs' }),
    errors: z.array(fieldError).optional().meta({ description: 'The wrong fields, up to 20' }),
    error_count: z.int().min(1).optional().meta({ description: 'Total number of wrong fields' }),
    suggestion: z
      .object({
        endpoint: z.string().meta({ description: 'Path of the operation to use instead' }),
        message: z.string().meta({ description: 'Why' }),
      })
      .optional()
      .meta({ description: 'Another way to do the same' }),
  })
  .meta({ id: 'Problem', description: 'Every error response' });
