import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { USAGE_EVENT_TYPES } from '../../../domain/operations.ts';

/**
 * One authenticated request, or one model operation. Append-only, for 13 months. The table is partitioned by month, see
 * services/usage/partitions.ts; its migration defines that and a default partition. No foreign keys: events outlive
 * users, keys and files, and a batch of requests must not fail for one of them.
 */
export const UsageEvent = defineEntity({
  name: 'UsageEvent',
  tableName: 'usage_events',
  indexes: [
    { name: 'usage_events_tenant_newest', properties: ['tenantId', 'occurredAt', 'id'] },
    {
      name: 'usage_events_key_newest',
      expression: `create index "usage_events_key_newest" on "usage_events" ("tenant_id", "api_key_id", "occurred_at", "id") where "api_key_id" is not null`,
    },
    {
      name: 'usage_events_operation_newest',
      expression: `create index "usage_events_operation_newest" on "usage_events" ("tenant_id", "type", "occurred_at", "id") where "type" <> 'request'`,
    },
    {
      name: 'usage_events_file_newest',
      expression: `create index "usage_events_file_newest" on "usage_events" ("tenant_id", "occurred_at", "id") where "file_id" is not null and "input_tokens" + "output_tokens" > 0`,
    },
    {
      name: 'usage_events_operation_id',
      expression: `create index "usage_events_operation_id" on "usage_events" ("id") where "type" <> 'request'`,
    },
  ],
  properties: {
    occurredAt: p.datetime().primary(),
    /** For an operation, derived from its content, so that a repeat is recognised. */
    id: p.uuid().primary(),
    tenantId: p.uuid(),
    type: p.enum(USAGE_EVENT_TYPES),
    /** The level of an operation, the `operationId` of a request. */
    subtype: p.string().nullable(),

    /** For a request: the path of the contract, parameters as `{name}`. */
    endpoint: p.string().nullable(),
    method: p.string().nullable(),
    status: p.smallint().nullable(),
    durationMs: p.integer(),
    errorCode: p.string().nullable(),

    provider: p.string().nullable(),
    model: p.string().nullable(),
    inputTokens: p.integer().default(0),
    outputTokens: p.integer().default(0),
    thinkingTokens: p.integer().nullable(),
    cacheReadTokens: p.integer().default(0),
    cacheCreationTokens: p.integer().default(0),
    /** Credits reserved for the operation; refunds are only in the ledger. */
    credits: p.integer().default(0),
    /** The ledger reservation that holds the operation's credits. */
    reservationId: p.string().nullable(),
    fileId: p.uuid().nullable(),

    /** The API key of the request, or of the one that started the operation. */
    apiKeyId: p.string().length(8).nullable(),
    userId: p.uuid().nullable(),
  },
});
export type UsageEvent = InferEntity<typeof UsageEvent>;
