import type { EntityManager, FilterQuery } from '@mikro-orm/postgresql';
import { WebhookAttempt } from '../../db/entities/webhooks/webhook-attempt.ts';
import { WebhookDelivery } from '../../db/entities/webhooks/webhook-delivery.ts';
import { WebhookEvent } from '../../db/entities/webhooks/webhook-event.ts';
import { notFound } from '../../domain/app-error.ts';
import type { DeliveryStatus } from '../../domain/webhooks/delivery.ts';
import { isUuid } from '../shared/sql.ts';
import { findSubscription } from './find-subscription.ts';

/** Maximum number of attempts shown per delivery: the latest ones. */
const SHOWN_ATTEMPTS = 20;

/** A delivery with its event and its last attempts, oldest first. */
export interface DeliveryRecord {
  delivery: WebhookDelivery;
  event: WebhookEvent;
  attempts: WebhookAttempt[];
}

/**
 * One page of the deliveries of a subscription, latest first, and their count.
 *
 * @throws AppError NOT_FOUND
 */
export async function listDeliveries(
  em: EntityManager,
  tenantId: string,
  subscriptionId: string,
  { status, limit, offset }: { status: DeliveryStatus | undefined; limit: number; offset: number },
): Promise<{ records: DeliveryRecord[]; totalCount: number }> {
  const { id } = await findSubscription(em, tenantId, subscriptionId);
  const where: FilterQuery<WebhookDelivery> = {
    tenantId,
    subscriptionId: id,
    ...(status && { status }),
  };
  const [deliveries, totalCount] = await em.findAndCount(WebhookDelivery, where, {
    orderBy: { sequence: 'desc' },
    limit,
    offset,
    refresh: true,
  });
  return { records: await recordsOf(em, deliveries), totalCount };
}

/** @throws AppError NOT_FOUND for an id that is unknown, malformed or of another tenant */
export async function findDelivery(em: EntityManager, tenantId: string, id: string): Promise<DeliveryRecord> {
  const delivery = isUuid(id)
    ? await em.findOne(WebhookDelivery, { id: id.toLowerCase(), tenantId }, { refresh: true })
    : null;
  const [record] = delivery ? await recordsOf(em, [delivery]) : [];
  if (!record) throw notFound('delivery');
  return record;
}

async function recordsOf(em: EntityManager, deliveries: WebhookDelivery[]): Promise<DeliveryRecord[]> {
  const events = await em.find(WebhookEvent, { id: { $in: deliveries.map(({ eventId }) => eventId) } });
  const eventOf = new Map(events.map((event) => [event.id, event]));
  const shown = deliveries.map(({ id, attempts }) => ({
    deliveryId: id,
    number: { $gt: attempts - SHOWN_ATTEMPTS },
  }));
  const attempts = await em.find(
    WebhookAttempt,
    { $or: shown },
    { orderBy: { deliveryId: 'asc', number: 'asc' } },
  );
  const attemptsOf = Map.groupBy(attempts, ({ deliveryId }) => deliveryId);
  return deliveries.flatMap((delivery) => {
    const event = eventOf.get(delivery.eventId);
    return event ? [{ delivery, event, attempts: attemptsOf.get(delivery.id) ?? [] }] : [];
  });
}
