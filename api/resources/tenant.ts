import { z } from 'zod';
import { MAX_LOGIN_SESSION_HOURS } from '../../domain/accounts/login.ts';
import { limitsOf } from '../../domain/accounts/tiers.ts';
import { VLM_PROVIDERS, type VlmProvider } from '../../domain/accounts/vlm-providers.ts';
import { jsonDepth } from '../../domain/json-depth.ts';
import {
  MAX_ALLOWED_DOMAINS,
  MAX_CUSTOM_CONFIG_BYTES,
  MAX_CUSTOM_CONFIG_DEPTH,
  MAX_RETENTION_DAYS,
  MAX_TENANT_NAME_LENGTH,
  MAX_TRASH_DAYS,
  TRASH_DAYS,
} from '../../domain/limits.ts';
import { optional, displayName } from '../../domain/schemas/text.ts';
import { domainName, MAX_DOMAIN_LENGTH } from '../../domain/schemas/addresses.ts';
import type { CataloguedModel } from '../../engines/models/catalogue.ts';
import type { LimitUsage } from '../../services/accounts/tenants/read-limits.ts';
import type { TenantSettings } from '../../services/accounts/tenants/tenant-settings.ts';
import { componentField, count, createdAt, days, jsonObject, timestamp, updatedAt } from './fields.ts';
import { layoutChoice, visionProvider } from './enums.ts';

const unlimited = z.int().min(-1);

/** Visible to members, but set only by the plan or `npm run admin`. */
const SET_BY_BILLING = [
  'max_monthly_credits',
  'max_requests_per_minute',
  'subscription_tier',
  'subscription_expires_at',
];

const customConfig = jsonObject
  .refine((config) => Buffer.byteLength(JSON.stringify(config)) <= MAX_CUSTOM_CONFIG_BYTES, {
    error: `at most ${MAX_CUSTOM_CONFIG_BYTES / 1024} KB as JSON`,
    // JSON.stringify would fail on a value that is nested too deeply.
    when: ({ value }) => jsonDepth(value) <= MAX_CUSTOM_CONFIG_DEPTH,
  })
  .refine((config) => jsonDepth(config) <= MAX_CUSTOM_CONFIG_DEPTH, {
    error: `objects and lists may be nested ${MAX_CUSTOM_CONFIG_DEPTH} deep at most`,
  });

const changeable = z.strictObject({
  name: optional(displayName(MAX_TENANT_NAME_LENGTH)).describe('Name of the account'),
  allowed_vlm_providers: z
    .array(visionProvider)
    .max(100, 'each provider once')
    .transform((all) => [...new Set(all)])
    .nullish()
    .describe('Providers of vision models that may see your files; null: all; an empty list: none'),
  page_layout: optional(layoutChoice).describe(
    'Which pages of documents a vision model lays out: none (`rules`), those of which the rules are unsure (`auto`), or all (`always`); the words stay those of the file',
  ),
  allowed_domains: z
    // The count is checked before the items.
    .array(z.unknown())
    .max(MAX_ALLOWED_DOMAINS, `at most ${MAX_ALLOWED_DOMAINS} domains`)
    .meta({ override: { items: { type: 'string', maxLength: MAX_DOMAIN_LENGTH } } })
    .pipe(z.array(domainName))
    .transform((all) => [...new Set(all)])
    .nullish()
    .describe('Domains of the email addresses that may be invited; null or none: all'),
  session_hours: z
    .int()
    .min(1)
    .max(MAX_LOGIN_SESSION_HOURS)
    .nullish()
    .describe(
      `Hours after a login in which its session ends in this account, also of those that are open; null: ${MAX_LOGIN_SESSION_HOURS}`,
    ),
  retention_days: days(1, MAX_RETENTION_DAYS).describe(
    'Days after which files move to the trash, from when they were added or restored; null: never. Folders may say otherwise',
  ),
  trash_days: days(1, MAX_TRASH_DAYS).describe(
    `Days that a file is in the trash before it is removed for good, as set when it gets there; null: ${TRASH_DAYS}`,
  ),
  custom_config: customConfig.nullish().describe('Settings of your own, replaced as a whole; null: none'),
});

export const tenantPatch = z.preprocess((body, context) => {
  if (typeof body !== 'object' || body === null) return body;
  const refused = SET_BY_BILLING.filter((field) => Object.hasOwn(body, field));
  for (const field of refused) {
    context.issues.push({
      code: 'custom',
      path: [field],
      input: body,
      message: 'is set by the subscription and cannot be changed here',
    });
  }
  return Object.fromEntries(Object.entries(body).filter(([field]) => !refused.includes(field)));
}, changeable);

export const tenantSettings = z
  .object({
    id: z.uuid().describe('Id of the account'),
    name: z.string().describe('Name of the account'),
    owner_user_id: z.uuid().nullable().describe('Id of the user who owns the account; null without one'),
    created_at: createdAt,
    updated_at: updatedAt,
    is_active: z.boolean().describe('Whether the account is active'),
    allowed_vlm_providers: z
      .array(visionProvider)
      .describe('Providers of vision models that may see the files; none: only the built-in models do'),
    configured_vlm_providers: z
      .array(visionProvider)
      .describe('Providers of vision models that the service is connected to; the others do nothing'),
    page_layout: layoutChoice.describe('Which pages of documents a vision model lays out'),
    allowed_domains: z
      .array(z.string())
      .describe('Domains of the email addresses that may be invited; none: all'),
    session_hours: z
      .int()
      .min(1)
      .max(MAX_LOGIN_SESSION_HOURS)
      .describe('Hours after a login in which its session ends in this account'),
    max_monthly_credits: unlimited.describe('Credits of a month; -1 means unlimited'),
    max_requests_per_minute: unlimited.describe('Requests of a minute; -1 means unlimited'),
    retention_days: z
      .int()
      .nullable()
      .describe('Days after which files move to the trash; null: never. Folders may say otherwise'),
    trash_days: count.describe('Days that a file is in the trash before it is removed for good'),
    custom_config: componentField(jsonObject, 'Settings of your own'),
    subscription_tier: z
      .enum(['free', 'starter', 'professional', 'enterprise', 'custom'])
      .describe('The subscription; answers have no `custom` yet'),
    subscription_expires_at: timestamp.nullable().describe('When the subscription ends; null if it does not'),
    missing_models: z
      .array(
        z.object({
          name: z.string().describe('Name of the model'),
          purpose: z.string().describe('What it is needed to do'),
        }),
      )
      .describe(
        'Models of the service that this installation has not fetched; without them, less is read, seen and understood. `npm run models` fetches them',
      ),
    current_month_credits: count.describe('Credits of this month, reserved or spent'),
    current_month_cost: z.number().min(0).describe('Always 0: credits have no price'),
    total_credits: count.describe('Credits of all months, reserved or spent'),
    total_cost: z.number().min(0).describe('Always 0: credits have no price'),
  })
  .meta({ id: 'TenantSettings' });

const limited = z
  .object({
    monthly_credits: unlimited.describe('Credits of this month'),
    api_calls_per_minute: unlimited.describe('Requests of this minute, by keys and sessions'),
  })
  .meta({ id: 'LimitedUse' });

export const tenantLimits = z
  .object({
    limits: componentField(limited, 'The limits; -1 means unlimited'),
    usage: componentField(limited, 'Use of the limits; requests are counted only where they are limited'),
    remaining: componentField(limited, 'Rest of the limits; -1 means unlimited'),
  })
  .meta({ id: 'TenantLimits' });

export function presentTenantSettings(
  {
    tenant,
    ownerId,
    monthCredits,
    allCredits,
    missingModels,
  }: TenantSettings & { missingModels: readonly CataloguedModel[] },
  { deps: { visionProviders } }: { deps: { visionProviders: readonly VlmProvider[] } },
): z.input<typeof tenantSettings> {
  const { requestsPerMinute, creditsPerMonth } = limitsOf(tenant.tier, {
    requestsPerMinute: tenant.maxRequestsPerMinute ?? null,
    creditsPerMonth: tenant.maxMonthlyCredits ?? null,
  });
  return {
    id: tenant.id,
    name: tenant.name,
    owner_user_id: ownerId,
    created_at: tenant.createdAt.toISOString(),
    updated_at: tenant.updatedAt.toISOString(),
    is_active: tenant.isActive,
    allowed_vlm_providers: [...(tenant.allowedVlmProviders ?? VLM_PROVIDERS)],
    configured_vlm_providers: [...visionProviders],
    page_layout: tenant.pageLayout,
    allowed_domains: tenant.allowedDomains,
    session_hours: tenant.sessionHours ?? MAX_LOGIN_SESSION_HOURS,
    max_monthly_credits: creditsPerMonth,
    max_requests_per_minute: requestsPerMinute,
    retention_days: tenant.retentionDays ?? null,
    trash_days: tenant.trashDays ?? TRASH_DAYS,
    custom_config: tenant.customConfig,
    subscription_tier: tenant.tier,
    subscription_expires_at: tenant.subscriptionExpiresAt?.toISOString() ?? null,
    missing_models: missingModels.map(({ name, purpose }) => ({ name, purpose })),
    current_month_credits: monthCredits,
    current_month_cost: 0,
    total_credits: allCredits,
    total_cost: 0,
  };
}

export function presentLimits({
  credits,
  requests,
}: {
  credits: LimitUsage;
  requests: LimitUsage;
}): z.input<typeof tenantLimits> {
  return {
    limits: { monthly_credits: credits.limit, api_calls_per_minute: requests.limit },
    usage: { monthly_credits: credits.used, api_calls_per_minute: requests.used },
    remaining: { monthly_credits: credits.remaining, api_calls_per_minute: requests.remaining },
  };
}
