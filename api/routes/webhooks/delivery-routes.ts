import { findDelivery, listDeliveries } from '../../../services/webhooks/find-deliveries.ts';
import { redeliver, redeliverFailed, sendTestEvent } from '../../../services/webhooks/redeliver.ts';
import { callerOf } from '../../http/actor.ts';
import { route } from '../../http/route.ts';
import {
  delivery,
  deliveryList,
  deliveryParams,
  deliveryQuery,
  presentDelivery,
  redelivered,
  redeliverFailedBody,
  webhookParams,
} from '../../resources/webhook.ts';

const shared = { tag: 'Webhooks', permit: 'webhooks.manage' } as const;
const LIMIT = { requests: 60, per: 'minute' } as const;

/** The log of deliveries, and sending events again. */
export const webhookDeliveryRoutes = [
  route({
    ...shared,
    method: 'post',
    path: '/webhooks/subscriptions/:webhook_id/test',
    operationId: 'testWebhook',
    summary: 'Send a test event; its delivery has the result',
    accepted: 'the event is sent in the background. Poll `GET /webhooks/deliveries/{delivery_id}`.',
    limit: LIMIT,
    params: webhookParams,
    answers: { 202: delivery },
    errors: ['NOT_FOUND', 'WEBHOOK_DISABLED'],
    async handle({ ctx, em, principal, params }) {
      const record = await sendTestEvent(em, callerOf({ ctx, principal }), params.webhook_id);
      ctx.status = 202;
      return record;
    },
    present: presentDelivery,
  }),

  route({
    ...shared,
    method: 'get',
    path: '/webhooks/subscriptions/:webhook_id/deliveries',
    operationId: 'listWebhookDeliveries',
    summary: 'The deliveries of a webhook with their attempts, latest first; kept for 30 days',
    params: webhookParams,
    query: deliveryQuery,
    answers: { 200: deliveryList },
    errors: ['NOT_FOUND'],
    async handle({ em, principal, params, query: { status, limit, offset } }) {
      const page = { status, limit, offset };
      const found = await listDeliveries(em, principal.tenantId, params.webhook_id, page);
      const items = found.records.map(presentDelivery);
      const { totalCount } = found;
      return { items, total_count: totalCount, limit, offset, has_more: offset + items.length < totalCount };
    },
  }),

  route({
    ...shared,
    method: 'post',
    path: '/webhooks/subscriptions/:webhook_id/redeliver-failed',
    operationId: 'redeliverFailedWebhooks',
    summary:
      'Redeliver all events whose delivery failed or was cancelled since a time, up to 10,000 per request',
    accepted:
      'the events are sent in the background. Poll `GET /webhooks/subscriptions/{webhook_id}/deliveries`.',
    limit: LIMIT,
    params: webhookParams,
    body: redeliverFailedBody,
    answers: { 202: redelivered },
    errors: ['NOT_FOUND', 'WEBHOOK_DISABLED'],
    async handle({ ctx, em, principal, params, body }) {
      const caller = callerOf({ ctx, principal });
      const again = await redeliverFailed(em, caller, params.webhook_id, body.since);
      ctx.status = 202;
      return { redelivered: again.redelivered, has_more: again.more };
    },
  }),

  route({
    ...shared,
    method: 'get',
    path: '/webhooks/deliveries/:delivery_id',
    operationId: 'getWebhookDelivery',
    summary: 'One delivery with its attempts',
    params: deliveryParams,
    answers: { 200: delivery },
    errors: ['NOT_FOUND'],
    handle: ({ em, principal, params }) => findDelivery(em, principal.tenantId, params.delivery_id),
    present: presentDelivery,
  }),

  route({
    ...shared,
    method: 'post',
    path: '/webhooks/deliveries/:delivery_id/redeliver',
    operationId: 'redeliverWebhook',
    summary: 'Redeliver an event, with the same id; a delivery that waits for a retry is attempted now',
    accepted: 'the event is sent in the background. Poll `GET /webhooks/deliveries/{delivery_id}`.',
    limit: LIMIT,
    params: deliveryParams,
    answers: { 202: delivery },
    errors: ['NOT_FOUND', 'WEBHOOK_DISABLED'],
    async handle({ ctx, em, deps: { engine }, principal, params }) {
      const record = await redeliver({ em, engine }, callerOf({ ctx, principal }), params.delivery_id);
      ctx.status = 202;
      return record;
    },
    present: presentDelivery,
  }),
];
