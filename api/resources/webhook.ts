import { z } from 'zod';
import type { WebhookAttempt } from '../../db/entities/webhooks/webhook-attempt.ts';
import type { WebhookSubscription } from '../../db/entities/webhooks/webhook-subscription.ts';
import { optional, optionalWith, text } from '../../domain/schemas/text.ts';
import { flag, page } from '../../domain/schemas/query.ts';
import { webhookSecret, webhookUrl } from '../../domain/schemas/webhook.ts';
import type { CreatedSubscription } from '../../services/webhooks/create-subscription.ts';
import type { DeliveryRecord } from '../../services/webhooks/find-deliveries.ts';
import { deliveryStatus, eventPattern, webhookSubject } from './enums.ts';
import {
  componentField,
  count,
  createdAt,
  duration,
  idParam,
  jsonObject,
  pageOf,
  timestamp,
  updatedAt,
} from './fields.ts';

const MAX_DESCRIPTION = 255;

const url = webhookUrl.describe(
  'Where events are sent by POST: over https to public addresses; other networks only if the operator allows them',
);
const description = text(MAX_DESCRIPTION).describe('Purpose of the webhook');
const eventTypes = z
  .array(eventPattern)
  .min(1, 'must have at least one type; `*` means all')
  .max(100, 'each type once')
  .transform((all) => [...new Set(all)])
  .describe('Events to deliver: exact types, all of a noun as `file.*`, or `*` for all');
const ORDERED =
  'Whether an event of a file or an upload session waits until its earlier events have been delivered or have failed';
const ordered = z.boolean().describe(ORDERED);
const enabled = z.boolean().describe('Whether events are delivered');
const secret = optional(webhookSecret).describe(
  'Secret that signs the events: `whsec_` and the base64 of 24 to 64 bytes; generated if absent',
);

export const webhookBody = z.strictObject({
  url,
  description: optional(description).describe('Purpose of the webhook'),
  event_types: eventTypes,
  ordered: optionalWith(ordered, false).describe(ORDERED),
  enabled: optionalWith(enabled, true).describe('Whether events are delivered'),
  secret,
});

export const webhookPatch = z.strictObject({
  url: optional(url).describe('Where events are sent by POST'),
  description: description.nullish().describe('Purpose of the webhook; null removes it'),
  event_types: optional(eventTypes).describe('Events to deliver'),
  ordered: optional(ordered).describe('Whether events of one file wait for the earlier ones'),
  enabled: optional(enabled).describe(
    'False cancels its deliveries; true enables it, also after the service has disabled it',
  ),
});

export const rotationBody = z.strictObject({ secret });

export const redeliverFailedBody = z.strictObject({
  since: z.iso
    .datetime({ offset: true })
    .transform((value) => new Date(value))
    .describe('Only deliveries that failed or were cancelled since then'),
});

export const webhookParams = z.object({ webhook_id: idParam('Id of the webhook') });
export const deliveryParams = z.object({ delivery_id: idParam('Id of the delivery') });

export const webhookQuery = z.object({
  of_requests: flag
    .default(false)
    .describe('List the webhooks of single requests (`webhook_url`) instead of the others'),
  ...page(100, 20),
});

export const deliveryQuery = z.object({
  status: deliveryStatus.optional().describe('Only deliveries with this status'),
  ...page(100, 20),
});

export const webhook = z
  .object({
    id: z.uuid().describe('Id of the webhook'),
    url: z.url().describe('Where events are sent by POST'),
    description: z.string().nullable().describe('Purpose of the webhook; null without one'),
    event_types: z.array(eventPattern).describe('Events that are delivered'),
    ordered,
    enabled,
    disabled_reason: z
      .string()
      .nullable()
      .describe('Why the service disabled it; null if it is enabled or was disabled by a user'),
    disabled_at: timestamp.nullable().describe('When it was disabled; null if it is enabled'),
    failing_since: timestamp
      .nullable()
      .describe('When the first attempt after the last success failed; null while attempts succeed'),
    previous_secret_until: timestamp
      .nullable()
      .describe('Until when the secret before the last rotation also signs; null if none does'),
    subject_kind: webhookSubject
      .nullable()
      .describe(
        'For the `webhook_url` of a request: kind of the resource whose events it receives; null otherwise',
      ),
    subject_id: z.uuid().nullable().describe('Id of that resource; null otherwise'),
    created_by: z.uuid().nullable().describe('Id of the user who created it; null if a key did'),
    created_at: createdAt,
    updated_at: updatedAt,
  })
  .meta({ id: 'Webhook' });

export const createdWebhook = webhook
  .extend({ secret: z.string().describe('The secret; it is shown only here') })
  .meta({ id: 'CreatedWebhook' });

export const webhookList = z.object(pageOf(webhook)).meta({ id: 'WebhookList' });

const attempt = z
  .object({
    number: count.describe('Number of the attempt, from 1, continued across redeliveries'),
    started_at: timestamp.describe('When the request began'),
    latency_ms: duration.describe('Milliseconds until the answer was read, or the attempt was given up'),
    status_code: count.nullable().describe('HTTP status of the answer; null without one'),
    error: z.string().nullable().describe('Human-readable reason of the failure; null if it succeeded'),
    response_body: z.string().nullable().describe('The first KB of the answer; null without one'),
  })
  .meta({ id: 'WebhookAttempt' });

export const delivery = z
  .object({
    id: z.uuid().describe('Id of the delivery'),
    webhook_id: z.uuid().describe('Id of the webhook'),
    event_id: z
      .uuid()
      .describe('Id of the event, which is the header `webhook-id`: the same in each attempt and redelivery'),
    event_type: z.string().describe('Type of the event'),
    event_data: componentField(jsonObject, 'Ids and statuses that the event reports'),
    status: deliveryStatus.describe(
      '`pending` until it is admitted, `sending` until the first attempt has ended, `retrying` after a failure; `failed` after the last attempt, `cancelled` when the webhook was disabled or deleted first',
    ),
    attempt_count: count.describe('Number of attempts so far'),
    next_attempt_at: timestamp.nullable().describe('When the next attempt is due; null if there is none'),
    created_at: timestamp.describe('When the event happened'),
    ended_at: timestamp.nullable().describe('When it was delivered or given up; null before'),
    attempts: z.array(attempt).describe('The last 20 attempts, oldest first'),
  })
  .meta({ id: 'WebhookDelivery' });

export const deliveryList = z.object(pageOf(delivery)).meta({ id: 'WebhookDeliveryList' });

export const redelivered = z
  .object({
    redelivered: count.describe('Number of deliveries that will be sent again'),
    has_more: z.boolean().describe('Whether more deliveries are left for another request'),
  })
  .meta({ id: 'WebhookRedelivery' });

/** A webhook. Its secret is only in the answers to its creation and rotation. */
export function presentWebhook(row: WebhookSubscription): z.input<typeof webhook> {
  const iso = (at: Date | null | undefined) => at?.toISOString() ?? null;
  const overlaps = row.previousSecretUntil && row.previousSecretUntil > new Date();
  return {
    id: row.id,
    url: row.url,
    description: row.description ?? null,
    event_types: [...row.eventTypes] as z.input<typeof webhook>['event_types'],
    ordered: row.ordered,
    enabled: row.enabled,
    disabled_reason: row.disabledReason ?? null,
    disabled_at: iso(row.disabledAt),
    failing_since: iso(row.failingSince),
    previous_secret_until: overlaps ? iso(row.previousSecretUntil) : null,
    subject_kind: row.subjectKind ?? null,
    subject_id: row.subjectId ?? null,
    created_by: row.createdBy ?? null,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

/** The only answer with the secret itself. */
export function presentCreatedWebhook(created: CreatedSubscription): z.input<typeof createdWebhook> {
  return { ...presentWebhook(created.subscription), secret: created.secret };
}

export function presentDelivery(record: DeliveryRecord): z.input<typeof delivery> {
  const { delivery: row, event, attempts } = record;
  return {
    id: row.id,
    webhook_id: row.subscriptionId,
    event_id: event.id,
    event_type: event.type,
    event_data: event.data,
    status: row.status,
    attempt_count: row.attempts,
    next_attempt_at: row.nextAttemptAt?.toISOString() ?? null,
    created_at: row.createdAt.toISOString(),
    ended_at: row.endedAt?.toISOString() ?? null,
    attempts: attempts.map(presentAttempt),
  };
}

function presentAttempt(row: WebhookAttempt): z.input<typeof attempt> {
  return {
    number: row.number,
    started_at: row.startedAt.toISOString(),
    latency_ms: row.latencyMs,
    status_code: row.statusCode ?? null,
    error: row.error ?? null,
    response_body: row.answer ?? null,
  };
}
