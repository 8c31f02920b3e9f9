import type { EntityManager } from '@mikro-orm/postgresql';
import { Tenant } from '../../db/entities/accounts/tenant.ts';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { creditsFor, creditsForMorePages } from '../../domain/accounts/credits.ts';
import { shortfall } from '../../domain/accounts/quota.ts';
import { limitsOf, UNLIMITED } from '../../domain/accounts/tiers.ts';
import { initialComponents, outstanding } from '../../domain/components.ts';
import { rangeText, type SplitPart } from '../../domain/splits.ts';
import { readCreditUsage } from '../accounts/tenants/read-limits.ts';
import { filesOfParts } from './find-split.ts';

/**
 * Why the credits of the month do not suffice for the parts of a document that are not stored yet; undefined if they do. It
 * reserves nothing: each part does when it is stored.
 */
export async function findShortage(
  em: EntityManager,
  { id: fileId, tenantId, options }: Pick<StoredFile, 'id' | 'tenantId' | 'options'>,
  parts: SplitPart[],
): Promise<string | undefined> {
  const tenant = await em.findOneOrFail(Tenant, tenantId, { refresh: true });
  const { creditsPerMonth } = limitsOf(tenant.tier, {
    requestsPerMinute: tenant.maxRequestsPerMinute ?? null,
    creditsPerMonth: tenant.maxMonthlyCredits ?? null,
  });
  if (creditsPerMonth === UNLIMITED) return undefined;
  const known = await filesOfParts(em, { tenantId, fileId, parts });
  const { autoDescribe } = options;
  const components = initialComponents('document', { autoDescribe, contentCategory: 'auto' });
  const accepted = creditsFor('document', outstanding({ mediaType: 'document', components }));
  const needed = parts
    .filter((part) => !known.has(rangeText(part)))
    .reduce((sum, { first, last }) => sum + accepted + creditsForMorePages(last - first + 1), 0);
  const { remaining } = await readCreditUsage(em, { tenantId, creditsPerMonth });
  return needed > remaining ? shortfall({ needed, available: remaining, creditsPerMonth }) : undefined;
}
