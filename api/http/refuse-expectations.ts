import type { Middleware } from 'koa';
import { AppError } from '../../domain/app-error.ts';

/** Refuses requests that expect anything but `100-continue`, which Node itself answers. */
export function refuseExpectations(): Middleware {
  return (ctx, next) => {
    const expected = ctx.get('Expect').toLowerCase();
    if (expected === '' || expected === '100-continue') return next();
    throw new AppError('EXPECTATION_FAILED', 'only the expectation 100-continue can be met');
  };
}
