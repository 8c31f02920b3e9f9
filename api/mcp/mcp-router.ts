import { Router } from '@koa/router';
import type { Context } from 'koa';
import { AppError } from '../../domain/app-error.ts';
import { jsonDepth } from '../../domain/json-depth.ts';
import type { Principal } from '../../services/accounts/principal.ts';
import type { ApiDeps } from '../deps.ts';
import { resolvePrincipal } from '../http/authenticate.ts';
import { clientGone } from '../http/client-gone.ts';
import { limitRequests } from '../http/limit-requests.ts';
import { refuseForeignOrigin } from '../http/origin.ts';
import { jsonReader } from '../http/read-json.ts';
import { stateOf } from '../http/state.ts';
import { SCHEMA_BODY_BYTES } from '../resources/extraction-schema.ts';
import type { Caller } from './call-operation.ts';
import type { LocalClient } from './local-client.ts';

/** The longest message is an extraction with a schema. */
const readMessage = jsonReader({ maxBytes: SCHEMA_BODY_BYTES });
/** Far deeper than the arguments of any tool; serialising much deeper ones would exhaust the stack. */
const MAX_DEPTH = 100;
const OPERATION_ID = 'mcp';

/**
 * `POST /mcp`: the Model Context Protocol over streamable HTTP, without sessions. A tool call runs an
 * operation of the API through `send`, which rate-limits and records it; a request without a tool call counts
 * as a request itself.
 */
export function mcpRouter(deps: ApiDeps, send: LocalClient): Router {
  const router = new Router();
  router.post('/mcp', async (ctx) => {
    ctx.set('Cache-Control', 'private, no-store');
    // "Servers MUST validate the Origin header on all incoming connections", whatever the credentials.
    refuseForeignOrigin(ctx, deps);
    const principal = await resolvePrincipal(ctx, deps, stateOf(ctx).em);
    let isCounted = false;
    const call = Promise.withResolvers<void>();
    const onCall = (): void => {
      isCounted = true;
      call.resolve();
    };
    let response: Response;
    try {
      response = await respond(ctx, deps, { principal, send, onCall });
      await Promise.race([call.promise, firstPart(response)]);
    } finally {
      if (!isCounted) await countRequest(ctx, principal);
    }
    ctx.body = response.body && response;
    // Set even without a body.
    ctx.status = response.status;
  });
  return router;
}

async function respond(
  ctx: Context,
  deps: ApiDeps,
  given: Pick<Caller, 'principal' | 'send' | 'onCall'>,
): Promise<Response> {
  const message = await readMessage(ctx);
  if (jsonDepth(message) > MAX_DEPTH) throw new AppError('BAD_REQUEST', 'the message is nested too deeply');
  const { requestId, clientAddress, log } = stateOf(ctx);
  const caller = { ...given, headers: ctx.headers, clientAddress, requestId, log, response: ctx.res };
  // Loaded for the first message: 35 MB.
  const [{ createMcpHandler }, { createMcpServer }] = await Promise.all([
    import('@modelcontextprotocol/server'),
    import('./mcp-server.ts'),
  ]);
  let failure: Error | undefined;
  const handler = createMcpHandler(() => createMcpServer(deps, caller), {
    onerror: (error) => void (failure = error),
  });
  const request = new Request('http://localhost/mcp', {
    method: 'POST',
    headers: protocolHeaders(ctx),
    signal: clientGone(ctx.res),
  });
  const response = await handler.fetch(request, { parsedBody: message });
  if (response.status >= 500) throw failure ?? new Error(`the protocol answered ${response.status}`);
  return response;
}

/** Waits for the first part of the response body without consuming it. */
async function firstPart(response: Response): Promise<void> {
  const reader = response.clone().body?.getReader();
  await reader?.read();
  // Otherwise the unread branch would be buffered.
  void reader?.cancel();
}

async function countRequest(ctx: Context, principal: Principal): Promise<void> {
  Object.assign(stateOf(ctx), { principal, operationId: OPERATION_ID });
  await limitRequests(ctx, principal, { operationId: OPERATION_ID });
}

function protocolHeaders(ctx: Context): [string, string][] {
  const names = Object.keys(ctx.headers).filter((name) => /^(accept|content-type|mcp-.*)$/.test(name));
  return names.map((name) => [name, ctx.get(name)]);
}
