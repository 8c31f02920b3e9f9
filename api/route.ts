import type { EntityManager } from '@mikro-orm/postgresql';
import type { Router } from '@koa/router';
import type { Context } from 'koa';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { ZodOpenApiResponsesObject } from 'zod-openapi';
import type { Permission } from '../domain/permissions.ts';
import type { Principal } from '../services/resolve-principal.ts';
import type { ApiDeps } from './deps.ts';
import { idempotent } from './idempotent.ts';
import { authenticate } from './middleware/authenticate.ts';
import { jsonReader } from './read-json.ts';
import { stateOf } from './state.ts';
import { validate } from './validate.ts';

/** What a handler gets: everything parsed and checked, so that it parses nothing itself. */
export interface Call<Params, Query, Body> {
  ctx: Context;
  deps: ApiDeps;
  em: EntityManager;
  log: Logger;
  principal: Principal;
  params: Params;
  query: Query;
  body: Body;
  /** The id for what this request creates, where it came with an Idempotency-Key. */
  resourceId?: string | undefined;
}

/**
 * One operation of the contract. It is read three times: it registers the route, validates the request and writes
 * the OpenAPI document.
 */
export interface Route {
  method: 'get' | 'post' | 'patch' | 'delete';
  /** Below `/api/v2`, parameters as `:name`. */
  path: string;
  operationId: string;
  summary: string;
  permission: Permission;
  /** Takes an Idempotency-Key. */
  idempotent?: true;
  params?: z.ZodObject;
  query?: z.ZodObject;
  /** JSON body. */
  body?: z.ZodType;
  /** Most bytes that the JSON body may have; 64 KB unless told. */
  maxBodyBytes?: number;
  /** multipart/form-data body: documented here, read by the handler, which streams it. */
  form?: z.ZodObject;
  responses: ZodOpenApiResponsesObject;
  /** Its result becomes the JSON body. */
  handle(call: Call<unknown, unknown, unknown>): Promise<unknown>;
}

/** Declares a route with the types of its schemas. */
export function route<
  P extends z.ZodObject = z.ZodObject,
  Q extends z.ZodObject = z.ZodObject,
  B extends z.ZodType = z.ZodType,
>(
  definition: Omit<Route, 'params' | 'query' | 'body' | 'handle'> & {
    params?: P;
    query?: Q;
    body?: B;
    handle(call: Call<z.output<P>, z.output<Q>, z.output<B>>): Promise<unknown>;
  },
): Route {
  return definition;
}

export function register(router: Router, { method, path, ...definition }: Route, deps: ApiDeps): void {
  const readJson = jsonReader(definition.maxBodyBytes);
  router[method](path, async (ctx) => {
    const { em, log } = stateOf(ctx);
    const principal = await authenticate(ctx, definition.permission);
    const call = {
      ctx,
      deps,
      em,
      log,
      principal,
      params: validate(definition.params ?? z.object(), ctx['params'], 'path'),
      query: validate(definition.query ?? z.object(), { ...ctx.query }, 'query'),
      body: definition.body && validate(definition.body, await readJson(ctx), 'body'),
    };
    const result = definition.idempotent
      ? await idempotent(call, definition.operationId, (resourceId) =>
          definition.handle({ ...call, resourceId }),
        )
      : await definition.handle(call);
    if (result !== undefined) ctx.body = result;
  });
}
