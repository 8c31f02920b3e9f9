import type { Context } from 'koa';
import { SESSION_SECONDS } from '../../domain/accounts/login.ts';
import type { ApiDeps } from '../deps.ts';

type Place = Pick<ApiDeps, 'publicBaseUrl'>;

/** `__Host-` binds a cookie to this host over https; browsers refuse that name on plain http. */
export function sessionCookieName({ publicBaseUrl }: Place): string {
  return publicBaseUrl?.protocol === 'https:' ? '__Host-session' : 'session';
}

export function readSessionCookie(ctx: Context, place: Place): string | undefined {
  return ctx.cookies.get(sessionCookieName(place)) || undefined;
}

export function setSessionCookie(ctx: Context, place: Place, token: string): void {
  setCookie(ctx, place, token, SESSION_SECONDS);
}

export function clearSessionCookie(ctx: Context, place: Place): void {
  setCookie(ctx, place, '', 0);
}

/** Written by hand: Koa's cookies refuse `Secure` behind a proxy that ends TLS. */
function setCookie(ctx: Context, place: Place, value: string, seconds: number): void {
  const name = sessionCookieName(place);
  const secure = name.startsWith('__Host-') ? '; Secure' : '';
  ctx.append('Set-Cookie', `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`);
}
