import type { EntityManager } from '@mikro-orm/postgresql';
import { LEVEL_CREDITS } from '../../domain/accounts/credits.ts';
import { UNLIMITED } from '../../domain/accounts/tiers.ts';
import type { UsageLevel } from '../../domain/operations.ts';
import type { Principal } from '../accounts/principal.ts';
import { readCreditUsage, type LimitUsage } from '../accounts/tenants/read-limits.ts';

export interface CreditCheck extends LimitUsage {
  canProceed: boolean;
  required: number;
  /** The shortfall, when there is one. */
  message: string | null;
}

/** Checks a tenant's remaining credits of the month against this many operations of a level. Reserves nothing. */
export async function checkCredits(
  em: EntityManager,
  principal: Principal,
  { level, items }: { level: UsageLevel; items: number },
): Promise<CreditCheck> {
  const month = await readCreditUsage(em, principal);
  const required = items * LEVEL_CREDITS[level];
  const { limit, remaining } = month;
  const canProceed = limit === UNLIMITED || required <= remaining;
  const message = canProceed
    ? null
    : `${required} credits needed, ${remaining} of ${limit} left this month (${required - remaining} short)`;
  return { ...month, canProceed, required, message };
}
