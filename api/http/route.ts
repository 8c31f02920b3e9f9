import type { Context } from 'koa';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Router } from '@koa/router';
import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import { z } from 'zod';
import { type AccessRefusal, type Action, refuseAccess } from '../../domain/accounts/access.ts';
import { AppError, type ErrorCode } from '../../domain/app-error.ts';
import { logDenial } from '../../services/accounts/log-denial.ts';
import type { Principal } from '../../services/accounts/principal.ts';
import type { ApiDeps } from '../deps.ts';
import { stateOf } from './state.ts';
import { idempotent } from './idempotent.ts';
import { authenticate } from './authenticate.ts';
import { endIfStalled } from './client-gone.ts';
import { limitRequests, type EndpointLimit } from './limit-requests.ts';
import { jsonReader } from './read-json.ts';
import type { Answers, BodyOf } from './responses.ts';
import { isStreamed, streamJson, type Streaming } from './streamed.ts';
import type { Tag } from './tags.ts';
import { holdSlot } from './tenant-slots.ts';
import { validate, validateFields } from './validate.ts';

/**
 * Rejects a forbidden action and records that in the audit log. The response neither awaits nor depends on the record.
 *
 * @throws AppError, always, with the code of the refusal
 */
function deny(
  { ctx, deps, principal }: { ctx: Context; deps: Pick<ApiDeps, 'orm'>; principal: Principal },
  { permit: action, operationId }: { permit: Action; operationId: string },
  refusal: AccessRefusal,
): never {
  const { clientAddress: ipAddress, log } = stateOf(ctx);
  logDenial(deps.orm.em.fork(), { principal, action, refusal, operationId, ipAddress }).catch(
    (error: unknown) => log.warn({ err: error }, 'a refused request could not be recorded in the audit log'),
  );
  throw new AppError(refusal.code, refusal.message);
}

/**
 * For a handler that may take a further action, such as with a parameter.
 *
 * @throws AppError if the caller may not take it
 */
export function requireAccess(
  call: { ctx: Context; deps: Pick<ApiDeps, 'orm'>; principal: Principal },
  action: { permit: Action; operationId: string },
): void {
  const refusal = refuseAccess(call.principal, action.permit);
  if (refusal) deny(call, action, refusal);
}

/** The arguments of a public handler: no principal. */
interface PublicCall<Params, Query, Body> {
  ctx: Context;
  em: EntityManager;
  deps: ApiDeps;
  log: Logger;
  params: Params;
  query: Query;
  body: Body;
}

/** The arguments of a handler, parsed and validated. */
export interface Call<Params, Query, Body> extends PublicCall<Params, Query, Body> {
  principal: Principal;
  /** Id of the resource to create, if the request has an Idempotency-Key. */
  resourceId?: string | undefined;
}

/**
 * One operation of the contract. It has three uses: registering the route, validating the request and generating the
 * OpenAPI document.
 */
interface Operation {
  method: 'get' | 'post' | 'patch' | 'delete';
  /** Below `/api/v2`, parameters as `:name`. */
  path: string;
  operationId: string;
  summary: string;
  /**
   * Details beyond the summary, in Markdown; cost, limits and access are added from the other fields, see
   * openapi/describe.ts.
   */
  description?: string;
  /** Meaning of 202 for this operation, and how to follow the work. */
  accepted?: string;
  /** Cost in credits; free if absent. */
  cost?: Cost;
  tag: Tag;
  params?: z.ZodObject;
  query?: z.ZodObject;
  /** JSON body. */
  body?: z.ZodType;
  /** Size limit of the JSON body; 64 KB by default. */
  maxBodyBytes?: number;
  /** Drops keys named `__proto__` from the JSON body instead of refusing it. */
  dropProto?: boolean;
  /** multipart/form-data body: documented here, streamed by the handler. */
  form?: z.ZodObject;
  /** JSON body that the handler takes in place of the form; it reads and validates it itself. */
  formAsJson?: z.ZodType;
  /** Request headers that the handler reads, for the document. */
  headers?: z.ZodObject;
  answers: Answers;
  /**
   * Error codes of the operation, in addition to those derived from the rest of its declaration, see
   * openapi/operation.ts. A test fails if a response has an undeclared code.
   */
  errors?: readonly ErrorCode[];
  /** New clients use another operation. */
  deprecated?: true;
  /** Extension fields of the operation in the document. */
  extension?: Readonly<Record<`x-${string}`, unknown>>;
}

/** Kinds of cost, by the work that an operation starts. */
export type Cost = 'file' | 'image' | 'document' | 'link' | 'extraction' | 'answer' | 'retry';

type Streamed = 'in_turn' | 'at_once';

export interface ProtectedRoute<Result = unknown, Answer = unknown> extends Operation {
  /** The action that the caller needs access to, see domain/accounts/access.ts. */
  permit: Action;
  /** A separate rate limit, in addition to that of the tenant. */
  limit?: EndpointLimit;
  /**
   * The answer grows with the document and is streamed if long. `in_turn`: a limited number per tenant at
   * once; `at_once`: without that limit, since a refusal would waste the work of the request.
   */
  streamed?: Streamed | undefined;
  /** Accepts an Idempotency-Key in the header, or a key in the body. */
  idempotent?: true | { keyIn(body: unknown): string | undefined };
  handle(call: Call<unknown, unknown, unknown>): Promise<Result>;
  /** Maps the result to the JSON body; by default the result itself. */
  present?(result: Result, call: Call<unknown, unknown, unknown>): Answer | Promise<Answer>;
}

/** A route without authentication, which must bound its own cost. */
interface PublicRoute extends Operation {
  public: true;
  /** Runs before the body is read. Throws AppError to refuse the request. */
  admit(call: PublicRequest): Promise<void>;
  handle(call: PublicCall<unknown, unknown, unknown>): Promise<unknown>;
  /** Answers an error of any step before or in `handle` in another way than as JSON, or throws it again. */
  answerError?(error: unknown, call: PublicRequest): void;
}

/** What is known of a public request before it is admitted and parsed. */
export type PublicRequest = Pick<PublicCall<unknown, unknown, unknown>, 'ctx' | 'deps'>;

export type Route = ProtectedRoute | PublicRoute;

type Declared<Of, P, Q, B, A> = Omit<
  Of,
  'params' | 'query' | 'body' | 'answers' | 'streamed' | 'handle' | 'present' | 'public'
> & { params?: P; query?: Q; body?: B; answers: A };

type AnswerOf<A extends Answers, S> = S extends Streamed ? Streaming<BodyOf<A>> : BodyOf<A>;

/**
 * Declares a route, typed by its schemas: the result of `present`, or of `handle` without it, must match the
 * answers.
 */
export function route<
  A extends Answers,
  P extends z.ZodObject = z.ZodObject,
  Q extends z.ZodObject = z.ZodObject,
  B extends z.ZodType = z.ZodType,
  S extends Streamed | undefined = undefined,
  Result = unknown,
>(
  definition: Declared<ProtectedRoute, P, Q, B, A> & {
    streamed?: S;
    handle(call: Call<z.output<P>, z.output<Q>, z.output<B>>): Promise<Result>;
    present(
      result: Result,
      call: Call<z.output<P>, z.output<Q>, z.output<B>>,
    ): AnswerOf<A, S> | Promise<AnswerOf<A, S>>;
  },
): ProtectedRoute<Result, AnswerOf<A, S>>;
export function route<
  A extends Answers,
  P extends z.ZodObject = z.ZodObject,
  Q extends z.ZodObject = z.ZodObject,
  B extends z.ZodType = z.ZodType,
  S extends Streamed | undefined = undefined,
>(
  definition: Declared<ProtectedRoute, P, Q, B, A> & {
    streamed?: S;
    handle(call: Call<z.output<P>, z.output<Q>, z.output<B>>): Promise<AnswerOf<A, S>>;
    present?: never;
  },
): ProtectedRoute<AnswerOf<A, S>, AnswerOf<A, S>>;
export function route<Result, Answer>(
  definition: ProtectedRoute<Result, Answer>,
): ProtectedRoute<Result, Answer> {
  return definition;
}

/** Declares a route that needs no key. */
export function publicRoute<
  A extends Answers,
  P extends z.ZodObject = z.ZodObject,
  Q extends z.ZodObject = z.ZodObject,
  B extends z.ZodType = z.ZodType,
>(
  definition: Declared<PublicRoute, P, Q, B, A> & {
    handle(call: PublicCall<z.output<P>, z.output<Q>, z.output<B>>): Promise<BodyOf<A>>;
  },
): PublicRoute {
  return { ...definition, public: true };
}

async function stream(
  { ctx, deps, principal }: Call<unknown, unknown, unknown>,
  when: Streamed,
  answer: unknown,
): Promise<Readable> {
  if (when === 'in_turn') await holdSlot(deps.longAnswers, principal.tenantId, ctx.res);
  endIfStalled(ctx.res);
  ctx.type = 'application/json';
  return streamJson(answer);
}

export function register(router: Router, definition: Route, deps: ApiDeps): void {
  const { method, path, maxBodyBytes: maxBytes, dropProto } = definition;
  const readJson = jsonReader({ maxBytes, dropProto });
  async function parsed(ctx: Context) {
    return {
      params: validate(definition.params ?? z.object(), ctx['params'], 'path'),
      query: validateFields(definition.query ?? z.object(), ctx.query, 'query'),
      body: definition.body && validate(definition.body, await readJson(ctx), 'body'),
    };
  }
  async function answer(ctx: Context): Promise<unknown> {
    const { em, log } = stateOf(ctx);
    if ('public' in definition) {
      try {
        await definition.admit({ ctx, deps });
        return await definition.handle({ ctx, deps, em, log, ...(await parsed(ctx)) });
      } catch (error) {
        if (!definition.answerError) throw error;
        return definition.answerError(error, { ctx, deps });
      }
    }
    stateOf(ctx).operationId = definition.operationId;
    const principal = await authenticate(ctx, deps);
    const refusal = refuseAccess(principal, definition.permit);
    // A caller without access to an operation does not use up its limit.
    const limit = refusal ? undefined : definition.limit;
    await limitRequests(ctx, principal, { operationId: definition.operationId, limit });
    if (refusal) deny({ ctx, deps, principal }, definition, refusal);
    const call = { ctx, deps, em, log, principal, ...(await parsed(ctx)) };
    const { idempotent: keyed, operationId } = definition;
    const work = async (given: typeof call & { resourceId?: string | undefined }) => {
      const result = await definition.handle(given);
      const made = definition.present ? await definition.present(result, given) : result;
      return definition.streamed && isStreamed(made) ? stream(call, definition.streamed, made) : made;
    };
    if (!keyed) return work(call);
    const keyInBody = keyed === true ? undefined : keyed.keyIn(call.body);
    return idempotent(call, { route: operationId, keyInBody }, (resourceId) => work({ ...call, resourceId }));
  }
  router[method](path, async (ctx) => {
    // Data of one tenant, often with presigned URLs, which are valid without a key.
    ctx.set('Cache-Control', 'private, no-store');
    const result = await answer(ctx);
    if (result !== undefined) ctx.body = result;
  });
}
