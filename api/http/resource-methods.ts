import type { Router } from '@koa/router';
import type { Middleware } from 'koa';
import { AppError } from '../../domain/app-error.ts';

/**
 * Answers OPTIONS, and refuses methods that the resource at a path does not have. Of several paths that match, such as
 * `/files/sessions` and `/files/:file_id`, only the most specific one is the resource.
 */
export function resourceMethods(routers: readonly Router[]): Middleware {
  return async (ctx, next) => {
    const matching = routers.flatMap((router) => router.match(ctx.path, ctx.method).path);
    const [resource] = matching.map(({ path }) => String(path)).toSorted(bySpecificity);
    const allowed = new Set(
      matching.filter(({ path }) => path === resource).flatMap(({ methods }) => methods),
    );
    if (allowed.size === 0 || allowed.has(ctx.method)) return next();
    ctx.set('Allow', [...allowed, 'OPTIONS'].join(', '));
    if (ctx.method !== 'OPTIONS') {
      throw new AppError(
        'METHOD_NOT_ALLOWED',
        'this path does not have this method; the header Allow lists those that it has',
      );
    }
    ctx.status = 204;
  };
}

/** Fixed segments before parameters, from the left. Paths that match the same request have as many segments. */
function bySpecificity(one: string, other: string): number {
  const [first, second] = [one.split('/'), other.split('/')];
  const at = first.findIndex((segment, index) => segment.startsWith(':') !== second[index]?.startsWith(':'));
  return at < 0 ? 0 : first[at]?.startsWith(':') ? 1 : -1;
}
