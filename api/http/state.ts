import type { EntityManager } from '@mikro-orm/postgresql';
import type { Context } from 'koa';
import type { Logger } from 'pino';
import type { AnsweredCode } from '../../domain/app-error.ts';
import type { Principal } from '../../services/accounts/principal.ts';

/** State that the middlewares pass on. */
export interface RequestState {
  requestId: string;
  log: Logger;
  em: EntityManager;
  /** Address of the client, see client-address.ts. */
  clientAddress: string;
  principal?: Principal;
  /** The operation of the route, once the caller is known. */
  operationId?: string;
  /** The code of the error response, where that is the answer. */
  errorCode?: AnsweredCode;
  /** Aborted when the body of the request arrives too slowly, see watch-body.ts; absent without a body. */
  bodyTooSlow?: AbortSignal;
  /** The response may still change, see markProvisional in idempotent.ts. */
  provisional?: boolean;
  /** Ends with the body of a streamed response: whether what was asked for has not failed. Never rejects. */
  ending?: Promise<boolean>;
}

/** The state of a request; typed here because Koa's own is untyped. */
export function stateOf(ctx: Context): RequestState {
  return ctx.state;
}
