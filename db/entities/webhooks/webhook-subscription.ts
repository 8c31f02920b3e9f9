import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { WEBHOOK_SUBJECTS, type EventPattern } from '../../../domain/webhooks/events.ts';
import { Tenant } from '../accounts/tenant.ts';

/**
 * A URL to which events of a tenant are delivered. A subscription with a subject comes from the `webhook_url`
 * of a request: it receives only the events of that resource, up to the one that ends its processing.
 */
export const WebhookSubscription = defineEntity({
  name: 'WebhookSubscription',
  tableName: 'webhook_subscriptions',
  indexes: [
    {
      name: 'webhook_subscriptions_of_tenant',
      expression: `create index "webhook_subscriptions_of_tenant" on "webhook_subscriptions" ("tenant_id") where "subject_id" is null and "deleted_at" is null`,
    },
    {
      name: 'webhook_subscriptions_of_subject',
      expression: `create index "webhook_subscriptions_of_subject" on "webhook_subscriptions" ("subject_id") where "subject_id" is not null`,
    },
    {
      name: 'webhook_subscriptions_of_requests',
      expression: `create index "webhook_subscriptions_of_requests" on "webhook_subscriptions" ("tenant_id", "created_at" desc, "id" desc) where "subject_id" is not null`,
    },
    {
      name: 'webhook_subscriptions_ended',
      expression: `create index "webhook_subscriptions_ended" on "webhook_subscriptions" ("subject_ended_at") where "subject_ended_at" is not null`,
    },
    {
      name: 'webhook_subscriptions_disabled',
      expression: `create index "webhook_subscriptions_disabled" on "webhook_subscriptions" ("disabled_at") where "subject_id" is not null and "disabled_at" is not null`,
    },
    {
      name: 'webhook_subscriptions_deleted',
      expression: `create index "webhook_subscriptions_deleted" on "webhook_subscriptions" ("deleted_at") where "deleted_at" is not null`,
    },
  ],
  properties: {
    id: p.uuid().primary(),
    tenantId: p.manyToOne(Tenant).mapToPk().fieldName('tenant_id').index(false),
    url: p.text(),
    description: p.text().nullable(),
    eventTypes: p.array<EventPattern>().columnType('text[]'),
    /**
     * Whether each event of a file or upload session waits until the deliveries of its earlier events have
     * ended.
     */
    ordered: p.boolean().default(false),
    enabled: p.boolean().default(true),
    /** Why it was disabled by the service; null if it was disabled by a user. */
    disabledReason: p.text().nullable(),
    disabledAt: p.datetime().nullable(),
    /** When the first failed attempt after the last success ended; null while attempts succeed. */
    failingSince: p.datetime().nullable(),
    /** When a delivery was last admitted; limits the rate of attempts while they fail. */
    lastDispatchedAt: p.datetime().nullable(),

    /** `whsec_…`, sealed for the tenant. */
    secret: p.text(),
    /** The secret before the last rotation, which also signs until `previousSecretUntil`. */
    previousSecret: p.text().nullable(),
    previousSecretUntil: p.datetime().nullable(),
    /** Id of the encryption key of both secrets. */
    encryptionKeyId: p.string().length(32).index(),

    subjectKind: p.enum(WEBHOOK_SUBJECTS).nullable(),
    subjectId: p.uuid().nullable(),
    /** When the processing of its subject ended: later events are not delivered. */
    subjectEndedAt: p.datetime().nullable(),

    /** Null for a key that belongs to no user. */
    createdBy: p.uuid().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
    /** The sweep removes the row later, so that transactions that write events never wait for it. */
    deletedAt: p.datetime().nullable(),
  },
});
export type WebhookSubscription = InferEntity<typeof WebhookSubscription>;
