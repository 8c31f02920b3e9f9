import type { Context } from 'koa';
import type { ClientInfo } from '../../services/accounts/login-sessions/open-login-session.ts';
import { stateOf } from './state.ts';

/** Where a request came from. */
export function clientInfo(ctx: Context): ClientInfo {
  return { ipAddress: stateOf(ctx).clientAddress, userAgent: ctx.get('User-Agent') };
}
