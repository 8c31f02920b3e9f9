import type { Context } from 'koa';
import { AppError } from '../../domain/app-error.ts';
import type { ApiDeps } from '../deps.ts';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Refuses a request that another site's page made with the user's cookie: a write, or a WebSocket, which browsers open
 * across origins. Browsers send `Origin` with both; programs that send neither it nor `Sec-Fetch-Site` have the cookie from
 * their user.
 *
 * @throws AppError FOREIGN_ORIGIN
 */
export function refuseForeignOrigin(ctx: Context, { publicBaseUrl }: Pick<ApiDeps, 'publicBaseUrl'>): void {
  if (SAFE_METHODS.has(ctx.method) && !ctx.get('Upgrade')) return;
  const origin = ctx.get('Origin');
  if (origin ? isOwn(origin, ctx, publicBaseUrl) : isSameSite(ctx.get('Sec-Fetch-Site'))) return;
  throw new AppError('FOREIGN_ORIGIN', 'this request comes from a page of another site');
}

function isOwn(origin: string, ctx: Context, publicBaseUrl: URL | undefined): boolean {
  if (publicBaseUrl && origin === publicBaseUrl.origin) return true;
  // Without a proxy in between, the page is on the address that it talks to.
  return publicBaseUrl === undefined && URL.parse(origin)?.host === ctx.get('Host').toLowerCase();
}

function isSameSite(fetchSite: string): boolean {
  return fetchSite === '' || fetchSite === 'same-origin' || fetchSite === 'none';
}
