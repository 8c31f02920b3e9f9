import type { EntityManager } from '@mikro-orm/postgresql';
import { WebhookSubscription } from '../../db/entities/webhooks/webhook-subscription.ts';
import { notFound } from '../../domain/app-error.ts';
import type { Caller } from '../accounts/principal.ts';
import { lockTenant, lockTenantAsAdmin } from '../accounts/tenants/lock-tenant.ts';
import { isUuid } from '../shared/sql.ts';

/** Subscriptions that are not of a single request, and not deleted. */
export const REGULAR = { subjectId: null, deletedAt: null } as const;

/** The subscriptions of a tenant, latest first; those of single requests only on demand. */
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
 * The same for a change, which the dispatch of its deliveries waits for until the transaction ends.
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
 * Makes changes of a tenant's webhooks wait for each other until the transaction ends.
 *
 * @throws AppError FORBIDDEN for a user who is no admin any more
 */
export async function lockTenantForWebhooks(tx: EntityManager, caller: Caller): Promise<void> {
  const { tenantId, credential, ipAddress } = caller;
  if (credential.kind === 'api_key') return lockTenant(tx, tenantId);
  await lockTenantAsAdmin(tx, { tenantId, userId: credential.userId, credential, ipAddress });
}

/** Locks a subscription, but for the foreign keys of the deliveries that transactions of uploads write meanwhile. */
async function lockRow(tx: EntityManager, id: string): Promise<void> {
  await tx.execute('select from webhook_subscriptions where id = ? for no key update', [id]);
}

/** Locks a subscription in the same way, and reads it as it then is. */
export async function lockAndRead(
  tx: EntityManager,
  { id, tenantId }: Pick<WebhookSubscription, 'id' | 'tenantId'>,
): Promise<WebhookSubscription | undefined> {
  const [row] = await tx.execute<Record<string, unknown>[]>(
    'select * from webhook_subscriptions where id = ? and tenant_id = ? for no key update',
    [id, tenantId],
  );
  return row && tx.map(WebhookSubscription, row);
}
