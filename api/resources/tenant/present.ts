import type { z } from 'zod';
import { limitsOf } from '../../../domain/accounts/tiers.ts';
import { VLM_PROVIDERS } from '../../../domain/accounts/vlm-providers.ts';
import type { LimitUsage } from '../../../services/accounts/tenants/read-limits.ts';
import type { TenantSettings } from '../../../services/accounts/tenants/tenant-settings.ts';
import type { tenantLimits, tenantSettings } from './schema.ts';

export function presentTenantSettings({
  tenant,
  ownerId,
  monthCredits,
  allCredits,
}: TenantSettings): z.input<typeof tenantSettings> {
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
    allowed_domains: tenant.allowedDomains,
    max_monthly_credits: creditsPerMonth,
    max_requests_per_minute: requestsPerMinute,
    custom_config: tenant.customConfig,
    subscription_tier: tenant.tier,
    subscription_expires_at: tenant.subscriptionExpiresAt?.toISOString() ?? null,
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
