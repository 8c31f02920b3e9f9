import { send } from '@koa/send';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Context, Middleware } from 'koa';
import { AppError } from '../../domain/app-error.ts';
import { bucketOrigins } from '../../services/storage/read-storage.ts';
import type { ApiDeps } from '../deps.ts';
import { resolvePrincipal } from './authenticate.ts';

/** Written by `npm run build:console`. */
const FOLDER = fileURLToPath(new URL('../../dist/console/', import.meta.url));
const YEAR_MS = 365 * 24 * 3600 * 1000;

type ConsoleDeps = Pick<ApiDeps, 'orm' | 'log' | 'storeOrigin' | 'publicBaseUrl' | 'credentialFailures'>;

/**
 * The web console: its files, and its page for every other path that a browser navigates to. Requests of programs, which
 * do not ask for HTML, pass.
 */
export function consolePages(deps: ConsoleDeps): Middleware {
  let isBuilt = false;
  let isReported = false;
  return async (ctx, next) => {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return next();
    if (ctx.path === '/console.svg' || ctx.path.startsWith('/assets/')) return sendAsset(ctx);
    if (isOfTheService(ctx.path) || !ctx.get('Accept').includes('text/html')) return next();
    ctx.vary('Accept');
    isBuilt ||= existsSync(join(FOLDER, 'index.html'));
    if (!isBuilt) {
      if (!isReported)
        deps.log.warn({ folder: FOLDER }, 'the console is not built: run `npm run build:console`');
      isReported = true;
      return sendNotBuilt(ctx);
    }
    ctx.set('Content-Security-Policy', policyOf([deps.storeOrigin, ...(await ownBuckets(ctx, deps))]));
    await send(ctx, 'index.html', { root: FOLDER, maxAge: 0 });
    // The page names the files of one build.
    ctx.set('Cache-Control', 'no-cache');
  };
}

/** Paths that are not pages, or pages of their own. */
const isOfTheService = (path: string) => /^\/(api|mcp|metrics|healthz|readyz)(\/|$)/.test(path);

/** A first start of a checkout builds the console last, so that results come first. */
function sendNotBuilt(ctx: Context): void {
  ctx.status = 503;
  ctx.set({ 'Retry-After': '2', Refresh: '2' });
  ctx.type = 'html';
  ctx.body =
    '<!doctype html><html lang="en"><title>Darkroom</title><p>The console is not built yet. A start of Darkroom builds it, and ' +
    'this page reloads until it is there; otherwise run <code>npm run build:console</code>.</p></html>';
}

async function sendAsset(ctx: Context): Promise<void> {
  const isHashed = ctx.path.startsWith('/assets/');
  await send(ctx, ctx.path, {
    root: FOLDER,
    ...(isHashed ? { maxAge: YEAR_MS, immutable: true } : { maxAge: 3_600_000 }),
  }).catch(() => {
    // Also for paths that leave the folder.
    throw new AppError('NOT_FOUND', 'there is no such file');
  });
}

/** The origins of the buckets of the tenant that is signed in; switching tenants loads the page anew. */
async function ownBuckets(ctx: Context, deps: ConsoleDeps): Promise<string[]> {
  const em = deps.orm.em.fork();
  const principal = await resolvePrincipal(ctx, deps, em).catch((error: unknown) => {
    // The page itself leads to the sign-in.
    if (error instanceof AppError) return undefined;
    throw error;
  });
  return principal ? bucketOrigins(em, principal.tenantId) : [];
}

/** @param stores origins of presigned URLs, of images, videos and uploads */
function policyOf(stores: readonly string[]): string {
  const from = [...new Set(stores)].join(' ');
  return Object.entries({
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self'",
    'font-src': "'self'",
    'img-src': `'self' blob: ${from}`,
    'media-src': `'self' blob: ${from}`,
    'connect-src': `'self' ${from}`,
    'worker-src': "'self'",
    'base-uri': "'none'",
    'form-action': "'self'",
    'frame-ancestors': "'none'",
  })
    .map(([name, sources]) => `${name} ${sources}`)
    .join('; ');
}
