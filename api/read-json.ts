import type { Context } from 'koa';
import { HttpMethodEnum, koaBody } from 'koa-body';
import { Refusal } from '../domain/refusal.ts';

const parse = koaBody({
  json: true,
  urlencoded: false,
  text: false,
  multipart: false,
  jsonLimit: '1mb',
  parsedMethods: [HttpMethodEnum.POST, HttpMethodEnum.PATCH, HttpMethodEnum.DELETE],
});

/**
 * The JSON body of a request; `{}` when there is none.
 *
 * @throws Refusal BAD_REQUEST for anything that is no JSON, FILE_TOO_LARGE over 1 MB
 */
export async function readJson(ctx: Context): Promise<unknown> {
  if (ctx.request.length === 0 || (ctx.request.length === undefined && !ctx.get('Transfer-Encoding')))
    return {};
  if (!ctx.is('json', '+json')) throw new Refusal('BAD_REQUEST', 'send the body as application/json');
  try {
    await parse(ctx, async () => undefined);
  } catch (error) {
    const tooLarge = (error as { status?: number }).status === 413;
    if (tooLarge) throw new Refusal('FILE_TOO_LARGE', 'a JSON body may have 1 MB at most');
    throw new Refusal('BAD_REQUEST', 'the body is not valid JSON', {}, { cause: error });
  }
  return (ctx.request as { body?: unknown }).body ?? {};
}
