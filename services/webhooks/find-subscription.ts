import type { EntityManager } from '@mikro-orm/postgresql';
import { WebhookSubscription } from '../../db/entities/webhooks/webhook-subscription.ts';
import { notFound } from '../../domain/app-error.ts';
import type { Caller } from '../accounts/principal.ts';
import { lockTenant, lockTenantAsAdmin } from '../accounts/tenants/lock-tenant.ts';
import { isUuid } from '../shared/sql.ts';

/** Filter for regular subscriptions: not of a single request, not deleted. */
export const REGULAR = { subjectId: null, deletedAt: null } as const;

/** The regular subscriptions of a tenant, or with `ofRequests` those of single requests; latest first. */
export function listSubscriptions(
  em: EntityManager,
  tenantId: string,
  { ofRequests, limit, offset }: { ofRequests: boolean; limit: number; offset: number },
): Promise<[WebhookSubscription[], number]> {
  const kind = ofRequests ? { subjectId: { $ne: null }, deletedAt: null } : REGULAR;
  return em.findAndCount(
    WebhookSubscription,
    { tenantId, ...kind },
    { orderBy: { createdAt: 'desc', id: 'desc' }, limit, offset },
  );
}

/** @throws AppError NOT_FOUND for an id that is unknown, malformed, deleted or of another tenant */
export async function findSubscription(
  em: EntityManager,
  tenantId: string,
  id: string,
): Promise<WebhookSubscription> {
  const where = { id: id.toLowerCase(), tenantId, deletedAt: null };
  const row = isUuid(id) ? await em.findOne(WebhookSubscription, where, { refresh: true }) : null;
  if (!row) throw notFound('webhook');
  return row;
}

/**
 * Finds a subscription and locks it for a change: the dispatch of its deliveries waits until the transaction
 * ends.
 *
 * @throws AppError NOT_FOUND, FORBIDDEN
 */
export async function lockSubscription(
  tx: EntityManager,
  caller: Caller,
  id: string,
): Promise<WebhookSubscription> {
  await lockTenantForWebhooks(tx, caller);
  const { id: found } = await findSubscription(tx, caller.tenantId, id);
  await lockRow(tx, found);
  return findSubscription(tx, caller.tenantId, found);
}

/**
 * Serialises changes to a tenant's webhooks until the transaction ends.
 *
 * @throws AppError FORBIDDEN for a user who is no longer an admin
 */
export async function lockTenantForWebhooks(tx: EntityManager, caller: Caller): Promise<void> {
  const { tenantId, credential, ipAddress } = caller;
  if (credential.kind === 'api_key') return lockTenant(tx, tenantId);
  await lockTenantAsAdmin(tx, { tenantId, userId: credential.userId, credential, ipAddress });
}

/** Locks a subscription without blocking concurrent inserts of deliveries that refer to it. */
async function lockRow(tx: EntityManager, id: string): Promise<void> {
  await tx.execute('select from webhook_subscriptions where id = ? for no key update', [id]);
}

/** Locks a subscription in the same way and returns its current row. */
export async function lockSubscriptionRow(
  tx: EntityManager,
  { id, tenantId }: Pick<WebhookSubscription, 'id' | 'tenantId'>,
): Promise<WebhookSubscription | undefined> {
  const [row] = await tx.execute<Record<string, unknown>[]>(
    'select * from webhook_subscriptions where id = ? and tenant_id = ? for no key update',
    [id, tenantId],
  );
  return row && tx.map(WebhookSubscription, row);
}
