import { changeApiKey, revokeApiKey } from '../../../services/accounts/api-keys/change-api-key.ts';
import { createApiKey } from '../../../services/accounts/api-keys/create-api-key.ts';
import { findApiKey, listApiKeys } from '../../../services/accounts/api-keys/find-api-keys.ts';
import { actorOf } from '../../http/actor.ts';
import { route } from '../../http/route.ts';
import { listPage } from '../../resources/fields.ts';
import {
  apiKey,
  apiKeyBody,
  apiKeyList,
  apiKeyParams,
  apiKeyPatch,
  apiKeyQuery,
  createdApiKey,
  presentApiKey,
  presentCreatedApiKey,
} from '../../resources/api-key.ts';

/**
 * No operation accepts an Idempotency-Key: repeating the answer of a creation would require storing the key.
 */
export const apiKeyRoutes = [
  route({
    method: 'post',
    path: '/api-keys',
    operationId: 'createApiKey',
    summary: 'Create an API key',
    description:
      'The key is in the answer, and never shown again: only its hash is stored. It may never do more ' +
      'than its creator may.',
    tag: 'API keys',
    permit: 'api-keys.create',
    limit: { requests: 10, per: 'minute' },
    body: apiKeyBody,
    answers: { 201: createdApiKey },
    errors: ['API_KEY_LIMIT'],
    async handle({ ctx, em, principal, body }) {
      const created = await createApiKey(em, actorOf({ ctx, principal }), {
        name: body.name,
        scopes: body.scopes ?? null,
        expiresAt: body.expires_at ?? null,
      });
      ctx.status = 201;
      return created;
    },
    present: presentCreatedApiKey,
  }),

  route({
    method: 'get',
    path: '/api-keys',
    operationId: 'listApiKeys',
    summary: 'List API keys, newest first',
    tag: 'API keys',
    permit: 'api-keys.manage',
    query: apiKeyQuery,
    answers: { 200: apiKeyList },
    async handle({ em, principal, query: { active, limit, offset } }) {
      const { records, totalCount } = await listApiKeys(em, principal.tenantId, { active, limit, offset });
      const items = records.map(presentApiKey);
      return listPage(items, totalCount, { limit, offset });
    },
  }),

  route({
    method: 'get',
    path: '/api-keys/:key_id',
    operationId: 'getApiKey',
    summary: 'One API key',
    tag: 'API keys',
    permit: 'api-keys.manage',
    params: apiKeyParams,
    answers: { 200: apiKey },
    errors: ['NOT_FOUND'],
    handle: ({ em, principal, params }) => findApiKey(em, principal.tenantId, params.key_id),
    present: presentApiKey,
  }),

  route({
    method: 'patch',
    path: '/api-keys/:key_id',
    operationId: 'changeApiKey',
    summary: 'Change name, scopes or expiry of an API key',
    tag: 'API keys',
    permit: 'api-keys.create',
    params: apiKeyParams,
    body: apiKeyPatch,
    answers: { 200: apiKey },
    errors: ['NOT_FOUND', 'API_KEY_ENDED'],
    handle: ({ ctx, em, principal, params, body }) =>
      changeApiKey(em, actorOf({ ctx, principal }), params.key_id, {
        ...(body.name !== undefined && { name: body.name }),
        ...(body.scopes !== undefined && { scopes: body.scopes }),
        ...(body.expires_at !== undefined && { expiresAt: body.expires_at }),
      }),
    present: presentApiKey,
  }),

  route({
    method: 'delete',
    path: '/api-keys/:key_id',
    operationId: 'revokeApiKey',
    summary: 'Revoke an API key, effective immediately',
    tag: 'API keys',
    permit: 'api-keys.manage',
    params: apiKeyParams,
    answers: { 200: apiKey },
    errors: ['NOT_FOUND'],
    handle: ({ ctx, em, principal, params }) => revokeApiKey(em, actorOf({ ctx, principal }), params.key_id),
    present: presentApiKey,
  }),
];
