import {
  changeSubscription,
  deleteSubscription,
  rotateSecret,
} from '../../../services/webhooks/change-subscription.ts';
import { createSubscription } from '../../../services/webhooks/create-subscription.ts';
import { findSubscription, listSubscriptions } from '../../../services/webhooks/find-subscription.ts';
import { callerOf } from '../../http/actor.ts';
import { noContent } from '../../http/responses.ts';
import { route } from '../../http/route.ts';
import {
  createdWebhook,
  presentCreatedWebhook,
  presentWebhook,
  rotationBody,
  webhook,
  webhookBody,
  webhookList,
  webhookParams,
  webhookPatch,
  webhookQuery,
} from '../../resources/webhook.ts';

const shared = { tag: 'Webhooks', permit: 'webhooks.manage' } as const;
const LIMIT = { requests: 30, per: 'minute' } as const;

/**
 * No operation accepts an Idempotency-Key: repeating the answer of a creation would require storing the
 * secret.
 */
export const webhookRoutes = [
  route({
    ...shared,
    method: 'post',
    path: '/webhooks/subscriptions',
    operationId: 'createWebhook',
    summary: 'Subscribe a URL to events',
    limit: LIMIT,
    body: webhookBody,
    answers: { 201: createdWebhook },
    errors: ['WEBHOOK_LIMIT'],
    async handle({ ctx, em, deps, principal, body }) {
      const { event_types: eventTypes, ...rest } = body;
      const use = { em, ...deps.bucketAccess };
      const created = await createSubscription(use, callerOf({ ctx, principal }), { ...rest, eventTypes });
      ctx.status = 201;
      return created;
    },
    present: presentCreatedWebhook,
  }),

  route({
    ...shared,
    method: 'get',
    path: '/webhooks/subscriptions',
    operationId: 'listWebhooks',
    summary: 'List webhooks, latest first',
    query: webhookQuery,
    answers: { 200: webhookList },
    async handle({ em, principal, query: { of_requests: ofRequests, limit, offset } }) {
      const wanted = { ofRequests, limit, offset };
      const [rows, totalCount] = await listSubscriptions(em, principal.tenantId, wanted);
      const items = rows.map(presentWebhook);
      return { items, total_count: totalCount, limit, offset, has_more: offset + items.length < totalCount };
    },
  }),

  route({
    ...shared,
    method: 'get',
    path: '/webhooks/subscriptions/:webhook_id',
    operationId: 'getWebhook',
    summary: 'One webhook',
    params: webhookParams,
    answers: { 200: webhook },
    errors: ['NOT_FOUND'],
    handle: ({ em, principal, params }) => findSubscription(em, principal.tenantId, params.webhook_id),
    present: presentWebhook,
  }),

  route({
    ...shared,
    method: 'patch',
    path: '/webhooks/subscriptions/:webhook_id',
    operationId: 'changeWebhook',
    summary: 'Change, disable or enable a webhook',
    limit: LIMIT,
    params: webhookParams,
    body: webhookPatch,
    answers: { 200: webhook },
    errors: ['NOT_FOUND'],
    handle({ ctx, em, deps, principal, params, body }) {
      const { url, description, event_types: eventTypes, ordered, enabled } = body;
      return changeSubscription(
        { em, guard: deps.bucketAccess.guard, engine: deps.engine },
        callerOf({ ctx, principal }),
        params.webhook_id,
        {
          ...(url !== undefined && { url }),
          ...(description !== undefined && { description }),
          ...(eventTypes !== undefined && { eventTypes }),
          ...(ordered !== undefined && { ordered }),
          ...(enabled !== undefined && { enabled }),
        },
      );
    },
    present: presentWebhook,
  }),

  route({
    ...shared,
    method: 'delete',
    path: '/webhooks/subscriptions/:webhook_id',
    operationId: 'deleteWebhook',
    summary: 'Delete a webhook; its pending deliveries are cancelled',
    limit: LIMIT,
    params: webhookParams,
    answers: { 204: noContent('Deleted') },
    errors: ['NOT_FOUND'],
    async handle({ ctx, em, deps: { engine }, principal, params }) {
      await deleteSubscription({ em, engine }, callerOf({ ctx, principal }), params.webhook_id);
      ctx.status = 204;
    },
  }),

  route({
    ...shared,
    method: 'post',
    path: '/webhooks/subscriptions/:webhook_id/rotate-secret',
    operationId: 'rotateWebhookSecret',
    summary: 'Rotate the secret of a webhook; the former one also signs for 24 hours',
    limit: LIMIT,
    params: webhookParams,
    body: rotationBody,
    answers: { 200: createdWebhook },
    errors: ['NOT_FOUND'],
    handle: ({ ctx, em, deps, principal, params, body }) =>
      rotateSecret(
        { em, cipher: deps.bucketAccess.cipher },
        callerOf({ ctx, principal }),
        params.webhook_id,
        body.secret,
      ),
    present: presentCreatedWebhook,
  }),
];
