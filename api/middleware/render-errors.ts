import type { Context, Middleware } from 'koa';
import { ObjectStoreUnavailable } from '../../adapters/object-store/errors.ts';
import { Refusal } from '../../domain/refusal.ts';
import { renderError } from '../errors.ts';
import { stateOf } from '../state.ts';

/** Connection trouble of Postgres, by SQLSTATE class or by Node's own codes: an outage, not a defect. */
const DATABASE_DOWN = /^(08|57P|53300|ECONN|ETIMEDOUT|EPIPE)/;

/** Turns whatever is thrown into the one error shape. Runs outermost, so nothing escapes it. */
export function renderErrors(): Middleware {
  return async (ctx, next) => {
    try {
      await next();
      if (ctx.status === 404 && ctx.body === undefined)
        throw new Refusal('NOT_FOUND', 'there is nothing at this path');
    } catch (thrown) {
      answer(ctx, outage(thrown) ?? thrown);
    }
  };
}

function answer(ctx: Context, error: unknown): void {
  const { requestId, log } = stateOf(ctx);
  const { status, headers, body } = renderError(error, requestId);
  if (status >= 500) log.error({ err: error }, 'request failed');
  ctx.status = status;
  ctx.set(headers);
  ctx.body = body;
}

function outage(error: unknown): Refusal | undefined {
  if (error instanceof ObjectStoreUnavailable) {
    return new Refusal(
      'SERVICE_UNAVAILABLE',
      'the object store cannot be reached; try again',
      { retryAfterSeconds: 5 },
      { cause: error },
    );
  }
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as { code?: unknown };
    const exhausted = /timeout exceeded when trying to connect|Connection terminated/i.test(cause.message);
    if ((typeof code === 'string' && DATABASE_DOWN.test(code)) || exhausted) {
      return new Refusal(
        'SERVICE_UNAVAILABLE',
        'the database cannot be reached; try again',
        { retryAfterSeconds: 5 },
        { cause: error },
      );
    }
  }
  return undefined;
}
