import type { Context } from 'koa';
import type { Visit } from '../../services/accounts/visit.ts';
import { stateOf } from './state.ts';

/** Where a request came from. */
export function visitOf(ctx: Context): Visit {
  return { ipAddress: stateOf(ctx).clientAddress, userAgent: ctx.get('User-Agent') };
}
