import type { Context, Middleware } from 'koa';
import { AppError } from '../../domain/app-error.ts';
import { isStorageFull, outage } from '../../services/shared/outage.ts';
import { isServiceError, renderError } from './problem.ts';
import { stateOf } from './state.ts';

const RETRY_AFTER_SECONDS = 5;
/** An operator has to free space. */
const RETRY_WHEN_FULL_SECONDS = 60;

/** Turns any thrown error into the common error shape. Runs outermost, so that nothing escapes it. */
export function renderErrors(): Middleware {
  return async (ctx, next) => {
    try {
      await next();
      if (ctx.status === 404 && ctx.body === undefined)
        throw new AppError('NOT_FOUND', 'there is no such path in this API');
    } catch (thrown) {
      answer(ctx, toAppErrorIfOutage(thrown));
    }
  };
}

function answer(ctx: Context, error: unknown): void {
  const state = stateOf(ctx);
  const { requestId, log } = state;
  const { status, headers, body } = renderError(error, requestId);
  state.errorCode = body.code;
  if (isServiceError(status, body.code)) log.error({ err: error }, 'request failed');
  ctx.status = status;
  ctx.set(headers);
  ctx.body = body;
}

/** An outage of a server behind the API is reported as such, not as a defect. */
export function toAppErrorIfOutage(error: unknown): unknown {
  const down = error instanceof AppError ? undefined : outage(error);
  if (!down) return error;
  if (isStorageFull(error)) {
    const details = { retryAfterSeconds: RETRY_WHEN_FULL_SECONDS };
    return new AppError('STORAGE_FULL', 'the server has no room left; try again later', details, {
      cause: error,
    });
  }
  const details = { retryAfterSeconds: RETRY_AFTER_SECONDS };
  return new AppError('SERVICE_UNAVAILABLE', `the ${down} cannot be reached; try again`, details, {
    cause: error,
  });
}
