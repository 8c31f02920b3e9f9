import { send } from '@koa/send';
import type { EntityManager } from '@mikro-orm/postgresql';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Context, Middleware } from 'koa';
import { AppError } from '../../domain/app-error.ts';
import { bucketOrigins } from '../../services/storage/read-storage.ts';
import type { ApiDeps } from '../deps.ts';
import type { Principal } from '../../services/accounts/principal.ts';
import { resolvePrincipal } from './authenticate.ts';
import { readSessionCookie } from './session-cookie.ts';

/** Written by `npm run build:console`. */
const FOLDER = fileURLToPath(new URL('../../dist/console/', import.meta.url));
const YEAR_MS = 365 * 24 * 3600 * 1000;

type ConsoleDeps = Pick<ApiDeps, 'orm' | 'log' | 'storeOrigin' | 'publicBaseUrl' | 'credentialFailures'>;

/** What the page of the library asks for first: browsers begin before they have its scripts. A test compares the two. */
const FIRST_FILES = '/api/v2/files?offset=0&limit=60';

/**
 * The web console: its files, and its page for every other path that a browser navigates to, of which the sign-in is a
 * document of its own. Requests of programs, which do not ask for HTML, pass.
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
    const em = deps.orm.em.fork();
    const principal = await signedIn(ctx, deps, em);
    if (ctx.path === '/' && !principal && !readSessionCookie(ctx, deps)) {
      // Otherwise the scripts of the library would be loaded to find out that nobody is signed in.
      ctx.redirect(ctx.search ? `/sign-in?${new URLSearchParams({ next: ctx.url }).toString()}` : '/sign-in');
    } else {
      const buckets = principal ? await bucketOrigins(em, principal.tenantId) : [];
      ctx.set('Content-Security-Policy', policyOf([deps.storeOrigin, ...buckets]));
      if (principal && ctx.url === '/')
        ctx.set('Link', `<${FIRST_FILES}>; rel=preload; as=fetch; crossorigin`);
      const page = /^\/sign-in\/?$/.test(ctx.path) ? 'sign-in.html' : 'index.html';
      await send(ctx, page, { root: FOLDER, maxAge: 0 });
    }
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

/** Who is signed in, by whose tenant the policy names buckets; switching tenants loads the page anew. */
async function signedIn(ctx: Context, deps: ConsoleDeps, em: EntityManager): Promise<Principal | undefined> {
  return resolvePrincipal(ctx, deps, em).catch((error: unknown) => {
    // The page itself leads to the sign-in.
    if (error instanceof AppError) return undefined;
    throw error;
  });
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
