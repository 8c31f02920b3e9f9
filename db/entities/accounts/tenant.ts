import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { TIERS } from '../../../domain/accounts/tiers.ts';
import { LAYOUT_CHOICES } from 'darkroom-reader/document';
import type { VlmProvider } from '../../../domain/accounts/vlm-providers.ts';

export const Tenant = defineEntity({
  name: 'Tenant',
  tableName: 'tenants',
  indexes: [
    {
      name: 'tenants_deleted',
      expression: 'create index "tenants_deleted" on "tenants" ("deleted_at") where "deleted_at" is not null',
    },
  ],
  properties: {
    id: p.uuid().primary(),
    name: p.string(),
    tier: p.enum(TIERS),
    /** False while disabled by an operator, or once deleted: no access for anyone. */
    isActive: p.boolean().default(true),
    /** Set by `npm run admin` to override the tier; -1 means unlimited. */
    maxRequestsPerMinute: p.integer().nullable(),
    maxMonthlyCredits: p.integer().nullable(),
    subscriptionExpiresAt: p.datetime().nullable(),
    /** Providers of vision models that may see the files of the tenant; null for all. */
    allowedVlmProviders: p.array().$type<VlmProvider[]>().columnType('text[]').nullable(),
    /** Which pages of documents a model lays out, if one is allowed. */
    pageLayout: p.enum(LAYOUT_CHOICES).default('auto'),
    /** Email domains whose users may be invited; empty for all. */
    allowedDomains: p.array().columnType('text[]').default([]),
    /** Hours after a login in which its session ends, whatever it does; null for the maximum. */
    sessionHours: p.integer().nullable(),
    /** Days after which files move to the trash; null or 0: never. Folders may say otherwise. */
    retentionDays: p.integer().nullable(),
    /** Days in the trash; null for the usual ones. Folders may say otherwise. */
    trashDays: p.integer().nullable(),
    /** The tenant's own settings, stored unread. */
    customConfig: p.json<Record<string, unknown>>().defaultRaw("'{}'"),
    /** Set when its owner's account is deleted: the tenant is inactive, and its files are removed. */
    deletedAt: p.datetime().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime().defaultRaw('now()'),
  },
});
export type Tenant = InferEntity<typeof Tenant>;
