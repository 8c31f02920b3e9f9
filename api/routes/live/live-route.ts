import type { Context } from 'koa';
import { AppError } from '../../../domain/app-error.ts';
import { LIVE_ACTION } from '../../live/channel.ts';
import { createAccessCheck } from '../../live/check-access.ts';
import { LiveConnection } from '../../live/live-connection.ts';
import { takeUpgrade } from '../../live/live-sockets.ts';
import { webSocket } from '../../http/responses.ts';
import { route } from '../../http/route.ts';

const VERSION = '13';
const KEY = /^[+/0-9A-Za-z]{22}==$/;
/** A token of RFC 9110. */
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;
const RETRY_AFTER_SECONDS = 5;

/** All live channels over WebSocket. */
export const liveRoute = route({
  method: 'get',
  path: '/ws',
  operationId: 'openLiveConnection',
  summary:
    'Live channels of files, upload sessions, extractions and exports; a connection may follow several',
  tag: 'Processing',
  permit: LIVE_ACTION,
  answers: {
    101: webSocket(
      'A WebSocket: the client sends `LiveCommand`, the server sends `LiveMessage`, each as JSON text',
    ),
  },
  extension: {
    'x-websocket-messages': {
      client: { $ref: '#/components/schemas/LiveCommand' },
      server: { $ref: '#/components/schemas/LiveMessage' },
    },
  },
  errors: ['BAD_REQUEST', 'UPGRADE_REQUIRED', 'TOO_MANY_CONNECTIONS'],
  async handle({ ctx, deps, principal, log }) {
    rejectOtherProtocols(ctx);
    if (deps.draining()) {
      throw new AppError('SERVICE_UNAVAILABLE', 'this server is shutting down', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    const release = deps.liveConnectionLimit.acquire(principal.tenantId);
    const upgrade = takeUpgrade(ctx.req, ctx.res);
    if (!upgrade) {
      release();
      throw upgradeRequired(ctx);
    }
    upgrade.socket.once('close', release);
    if (upgrade.socket.destroyed) release();
    ctx.respond = false;
    ctx.status = 101;
    upgrade.socket.once('close', () => ctx.res.emit('close'));
    const socket = await deps.liveSockets.connect(ctx.req, upgrade);
    const connection = new LiveConnection(socket, {
      ...deps,
      log,
      tenantId: principal.tenantId,
      pingMs: deps.liveSockets.pingMs,
      checkAccess: createAccessCheck(ctx, deps, { action: LIVE_ACTION, tenantId: principal.tenantId }),
    });
    connection.serve();
  },
});

function rejectOtherProtocols(ctx: Context): void {
  if (ctx.get('Upgrade').toLowerCase() !== 'websocket') throw upgradeRequired(ctx);
  if (ctx.get('Sec-WebSocket-Version') !== VERSION) {
    ctx.set('Sec-WebSocket-Version', VERSION);
    throw upgradeRequired(ctx);
  }
  if (!KEY.test(ctx.get('Sec-WebSocket-Key'))) {
    throw new AppError('BAD_REQUEST', 'Sec-WebSocket-Key must be 16 bytes in base64');
  }
  // The library would refuse them in a shape of its own, after the request was logged as accepted.
  const protocols = ctx.req.headers['sec-websocket-protocol']?.split(',').map((name) => name.trim()) ?? [];
  if (!protocols.every((name) => TOKEN.test(name)) || new Set(protocols).size < protocols.length) {
    throw new AppError('BAD_REQUEST', 'Sec-WebSocket-Protocol must be distinct names, separated by commas');
  }
}

function upgradeRequired(ctx: Context): AppError {
  ctx.set({ Upgrade: 'websocket', Connection: 'Upgrade' });
  return new AppError('UPGRADE_REQUIRED', `connect here by WebSocket, version ${VERSION}`);
}
