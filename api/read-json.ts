import type { Context } from 'koa';
import { HttpMethodEnum, koaBody } from 'koa-body';
import { Refusal } from '../domain/refusal.ts';

/** Without these koa-body knows a few types alone and reads the body of any other as `{}`. */
const JSON_TYPES = ['json', '+json'];

/** What a JSON body may have where a route does not say otherwise. */
export const DEFAULT_JSON_BYTES = 64 * 1024;

/**
 * A reader of JSON bodies up to a size; a request without a body reads as `{}`.
 *
 * Any JSON type will do, `application/merge-patch+json` as well. The reader throws Refusal BAD_REQUEST for anything
 * that is no JSON, FILE_TOO_LARGE for more bytes than that.
 */
export function jsonReader(maxBytes = DEFAULT_JSON_BYTES): (ctx: Context) => Promise<unknown> {
  const parse = koaBody({
    json: true,
    jsonTypes: JSON_TYPES,
    urlencoded: false,
    text: false,
    multipart: false,
    jsonLimit: maxBytes,
    parsedMethods: [HttpMethodEnum.POST, HttpMethodEnum.PATCH, HttpMethodEnum.DELETE],
  });
  return async (ctx) => {
    if (ctx.request.length === 0 || (ctx.request.length === undefined && !ctx.get('Transfer-Encoding')))
      return {};
    if (!ctx.is(JSON_TYPES)) throw new Refusal('BAD_REQUEST', 'send the body as application/json');
    try {
      await parse(ctx, async () => undefined);
    } catch (error) {
      const tooLarge = (error as { status?: number }).status === 413;
      if (tooLarge) {
        throw new Refusal('FILE_TOO_LARGE', `this JSON body may have ${maxBytes / 1024} KB at most`);
      }
      throw new Refusal('BAD_REQUEST', 'the body is not valid JSON', {}, { cause: error });
    }
    return (ctx.request as { body?: unknown }).body ?? {};
  };
}
