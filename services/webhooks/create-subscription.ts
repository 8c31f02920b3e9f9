import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { SecretCipher } from '../../adapters/encryption/secret-cipher.ts';
import type { AddressGuard } from '../../adapters/outbound/address-guard.ts';
import { WebhookSubscription } from '../../db/entities/webhooks/webhook-subscription.ts';
import { AppError } from '../../domain/app-error.ts';
import { MAX_WEBHOOK_SUBSCRIPTIONS } from '../../domain/limits.ts';
import type { EventPattern } from '../../domain/webhooks/event-types.ts';
import type { Caller } from '../accounts/principal.ts';
import { recordAuditEvent } from '../audit-log/record-audit-event.ts';
import { checkWebhookUrl } from './check-url.ts';
import { lockTenantForWebhooks, REGULAR } from './find-subscription.ts';
import { newSecret, sealSecrets } from './secrets.ts';

export interface SubscriptionDeps {
  em: EntityManager;
  cipher: SecretCipher;
  guard: AddressGuard;
}

export interface NewSubscription {
  url: string;
  description?: string | undefined;
  eventTypes: EventPattern[];
  ordered: boolean;
  enabled: boolean;
  /** A new one by default. */
  secret?: string | undefined;
}

/** Includes the secret, which is stored encrypted and never shown again. */
export interface CreatedSubscription {
  subscription: WebhookSubscription;
  secret: string;
}

/**
 * Subscribes a URL to events of the tenant, from now on.
 *
 * @throws AppError FORBIDDEN, VALIDATION_FAILED for its URL, WEBHOOK_LIMIT
 */
export async function createSubscription(
  { em, cipher, guard }: SubscriptionDeps,
  caller: Caller,
  { secret = newSecret(), ...wanted }: NewSubscription,
): Promise<CreatedSubscription> {
  const { tenantId, credential } = caller;
  checkWebhookUrl(guard, wanted.url, '/body/url');
  return em.transactional(async (tx) => {
    await lockTenantForWebhooks(tx, caller);
    if ((await tx.count(WebhookSubscription, { tenantId, ...REGULAR })) >= MAX_WEBHOOK_SUBSCRIPTIONS) {
      const message = `an account has at most ${MAX_WEBHOOK_SUBSCRIPTIONS} webhooks; delete one first`;
      throw new AppError('WEBHOOK_LIMIT', message);
    }
    const now = new Date();
    const subscription = tx.create(WebhookSubscription, {
      ...wanted,
      ...sealSecrets(cipher, tenantId, { current: secret }),
      id: randomUUID(),
      tenantId,
      createdAt: now,
      updatedAt: now,
      description: wanted.description ?? null,
      createdBy: credential.kind === 'session' ? credential.userId : null,
    });
    await tx.persist(subscription).flush();
    await recordAuditEvent(tx, {
      ...caller,
      type: 'webhook.created',
      resource: { type: 'webhook', id: subscription.id },
      metadata: { url: wanted.url, event_types: wanted.eventTypes },
    });
    return { subscription, secret };
  });
}
