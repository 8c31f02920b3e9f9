import type { Context } from 'koa';
import { AppError } from '../../../domain/app-error.ts';
import { beginConnection, finishConnection } from '../../../services/connections/connect-account.ts';
import { createConnection } from '../../../services/connections/create-connection.ts';
import {
  deleteConnection,
  findConnection,
  listConnections,
} from '../../../services/connections/connections.ts';
import { connectBucket } from '../../../services/connections/source-buckets.ts';
import type { ApiDeps } from '../../deps.ts';
import { actorOf } from '../../http/actor.ts';
import { noContent } from '../../http/responses.ts';
import { route } from '../../http/route.ts';
import {
  presentConnection,
  connection,
  connectionBody,
  connectionList,
  connectionParams,
  consent,
  consentBody,
  consentReturn,
} from '../../resources/connection.ts';
import { bucketAddressOf } from '../../resources/storage-config.ts';

const CREATION_ERRORS = [
  'CONNECTIONS_NOT_CONFIGURED',
  'CONNECTION_REJECTED',
  'CONNECTION_UNAVAILABLE',
  'CONNECTION_LIMIT',
] as const;
const LIMIT = { requests: 10, per: 'minute' } as const;

/** Access to accounts at providers, for exports written there, and to buckets, for imports. */
export const connectionRoutes = [
  route({
    method: 'post',
    path: '/connections',
    operationId: 'createConnection',
    summary: 'Connect an account with its refresh token, or a bucket with a key or none',
    tag: 'Connections',
    permit: 'connections.manage',
    limit: LIMIT,
    body: connectionBody,
    answers: { 201: connection },
    errors: CREATION_ERRORS,
    async handle({ ctx, em, deps, principal, body }) {
      const actor = actorOf({ ctx, principal });
      ctx.status = 201;
      if (body.provider === 's3') {
        const bucket = bucketAddressOf(body);
        const { access_key_id: accessKeyId, secret_access_key: secretAccessKey } = body;
        const key = accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined;
        const name = body.name ?? bucket.bucketName;
        return connectBucket({ em, ...deps.bucketAccess }, actor, { name, bucket, key });
      }
      const use = { em, cipher: deps.bucketAccess.cipher, sheets: sheetsOf(deps) };
      return createConnection(use, actor, { name: body.name, refreshToken: body.refresh_token });
    },
    present: presentConnection,
  }),

  route({
    method: 'post',
    path: '/connections/oauth/start',
    operationId: 'startConnection',
    summary: 'Start connecting an account; its owner consents in a browser',
    tag: 'Connections',
    permit: 'connections.manage',
    limit: LIMIT,
    body: consentBody,
    answers: { 201: consent },
    errors: ['CONNECTIONS_NOT_CONFIGURED'],
    async handle({ ctx, em, deps, principal, body }) {
      const actor = actorOf({ ctx, principal });
      const begun = await beginConnection({ em, sheets: sheetsOf(deps) }, actor, {
        name: body.name,
        redirectUri: callbackOf(ctx, deps),
      });
      ctx.status = 201;
      return { authorization_url: begun.url.href, expires_at: begun.expiresAt.toISOString() };
    },
  }),

  route({
    method: 'get',
    path: '/connections/oauth/callback',
    operationId: 'finishConnection',
    summary: 'Return from the provider, in the browser of the user who began',
    tag: 'Connections',
    permit: 'connections.manage',
    limit: LIMIT,
    query: consentReturn,
    answers: { 200: connection },
    errors: CREATION_ERRORS,
    handle({ ctx, em, deps, principal, query }) {
      const use = { em, cipher: deps.bucketAccess.cipher, sheets: sheetsOf(deps) };
      const returned = { ...query, redirectUri: callbackOf(ctx, deps) };
      return finishConnection(use, actorOf({ ctx, principal }), returned);
    },
    present: presentConnection,
  }),

  route({
    method: 'get',
    path: '/connections',
    operationId: 'listConnections',
    summary: 'List connected accounts',
    tag: 'Connections',
    permit: 'files.read',
    answers: { 200: connectionList },
    handle: ({ em, principal: { tenantId } }) => listConnections(em, tenantId),
    present: (all) => ({ items: all.map(presentConnection) }),
  }),

  route({
    method: 'get',
    path: '/connections/:connection_id',
    operationId: 'getConnection',
    summary: 'Read a connected account',
    tag: 'Connections',
    permit: 'files.read',
    params: connectionParams,
    answers: { 200: connection },
    errors: ['NOT_FOUND'],
    handle: ({ em, principal: { tenantId }, params }) => findConnection(em, tenantId, params.connection_id),
    present: presentConnection,
  }),

  route({
    method: 'delete',
    path: '/connections/:connection_id',
    operationId: 'deleteConnection',
    summary: 'Disconnect an account or bucket; what is there stays',
    tag: 'Connections',
    permit: 'connections.manage',
    limit: LIMIT,
    params: connectionParams,
    answers: { 204: noContent('Disconnected; its secret is deleted') },
    errors: ['NOT_FOUND'],
    async handle({ ctx, em, principal, params }) {
      await deleteConnection(em, actorOf({ ctx, principal }), params.connection_id);
      ctx.status = 204;
    },
  }),
];

/** The URL to which Google redirects the browser; without a configured base URL, derived from the request. */
function callbackOf(ctx: Context, { publicBaseUrl }: ApiDeps): string {
  return new URL('/api/v2/connections/oauth/callback', publicBaseUrl ?? `${ctx.protocol}://${ctx.host}`).href;
}

function sheetsOf({ sheets }: ApiDeps) {
  if (sheets) return sheets;
  throw new AppError(
    'CONNECTIONS_NOT_CONFIGURED',
    'this service is not registered at Google; its operator sets GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET in the environment of the service, see docs/configuration.md',
  );
}
