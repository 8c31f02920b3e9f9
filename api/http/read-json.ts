import type { Context } from 'koa';
import { HttpMethodEnum, koaBody } from 'koa-body';
import { AppError } from '../../domain/app-error.ts';
import { stateOf } from './state.ts';
import { aborted } from './watch-body.ts';

/** koa-body accepts only a few types by default and reads other bodies as `{}`. */
const JSON_TYPES = ['json', '+json'];

/** Default size limit of a JSON body. */
export const DEFAULT_JSON_BYTES = 64 * 1024;

export interface JsonLimits {
  maxBytes?: number | undefined;
  /** Drops keys named `__proto__` instead of refusing them. */
  dropProto?: boolean | undefined;
}

/**
 * Creates a reader of JSON bodies of bounded size; a missing body reads as `{}`.
 *
 * Accepts any JSON type, including `application/merge-patch+json`. The reader throws AppError BAD_REQUEST for anything
 * that is not JSON, FILE_TOO_LARGE for larger bodies, UPLOAD_TOO_SLOW.
 */
export function jsonReader({ maxBytes = DEFAULT_JSON_BYTES, dropProto = false }: JsonLimits = {}): (
  ctx: Context,
) => Promise<unknown> {
  const parse = koaBody({
    // koa-body's JSON parser can only refuse such keys.
    json: !dropProto,
    jsonTypes: JSON_TYPES,
    text: dropProto,
    textTypes: JSON_TYPES,
    urlencoded: false,
    multipart: false,
    jsonLimit: maxBytes,
    textLimit: maxBytes,
    parsedMethods: [HttpMethodEnum.POST, HttpMethodEnum.PATCH, HttpMethodEnum.DELETE],
  });
  return async (ctx) => {
    if (ctx.request.length === 0 || (ctx.request.length === undefined && !ctx.get('Transfer-Encoding')))
      return {};
    if (!ctx.is(JSON_TYPES)) throw new AppError('BAD_REQUEST', 'send the body as application/json');
    try {
      await Promise.race([parse(ctx, async () => undefined), aborted(stateOf(ctx).bodyTooSlow)]);
      const { body } = ctx.request as { body?: unknown };
      return (dropProto ? JSON.parse(String(body), withoutProto) : body) ?? {};
    } catch (error) {
      if (error instanceof AppError) throw error;
      const tooLarge = (error as { status?: number }).status === 413;
      if (tooLarge) {
        throw new AppError('FILE_TOO_LARGE', `this JSON body may have ${maxBytes / 1024} KB at most`);
      }
      throw new AppError(
        'BAD_REQUEST',
        'the body is not valid JSON, or has a key named __proto__',
        {},
        { cause: error },
      );
    }
  };
}

function withoutProto(key: string, value: unknown): unknown {
  return key === '__proto__' ? undefined : value;
}
