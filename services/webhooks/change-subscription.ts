import type { EntityManager } from '@mikro-orm/postgresql';
import {
  EncryptionKeyUnknown,
  SecretUnreadable,
  type SecretCipher,
} from '../../adapters/encryption/secret-cipher.ts';
import type { WebhookSubscription } from '../../db/entities/webhooks/webhook-subscription.ts';
import { WEBHOOK_SECRET_OVERLAP_HOURS } from '../../domain/limits.ts';
import type { Caller } from '../accounts/principal.ts';
import { recordAuditEvent } from '../audit-log/record-audit-event.ts';
import { checkWebhookUrl } from './check-url.ts';
import type { CreatedSubscription, NewSubscription, SubscriptionDeps } from './create-subscription.ts';
import { disableSubscription } from './disable-subscription.ts';
import { lockSubscription } from './find-subscription.ts';
import { newSecret, openSecrets, sealSecrets } from './secrets.ts';

const HOUR_MS = 3_600_000;

/** What changes; null removes. */
export type SubscriptionChange = Partial<Omit<NewSubscription, 'secret' | 'description'>> & {
  description?: string | null;
};

/**
 * Changes a subscription. Disabling it cancels its deliveries, which can be redelivered once it is enabled again;
 * enabling it forgets earlier failures.
 *
 * @throws AppError NOT_FOUND, FORBIDDEN, VALIDATION_FAILED for its URL
 */
export async function changeSubscription(
  { em, guard }: Omit<SubscriptionDeps, 'cipher'>,
  caller: Caller,
  id: string,
  { enabled, ...change }: SubscriptionChange,
): Promise<WebhookSubscription> {
  if (change.url !== undefined) checkWebhookUrl(guard, change.url, '/body/url');
  return em.transactional(async (tx) => {
    const row = await lockSubscription(tx, caller, id);
    // Another receiver has not failed yet.
    if (change.url !== undefined && change.url !== row.url) row.failingSince = null;
    Object.assign(row, change, { updatedAt: new Date() });
    if (enabled === false && row.enabled) await disableSubscription(tx, row, null);
    if (enabled === true && !row.enabled) {
      Object.assign(row, { enabled, disabledReason: null, disabledAt: null, failingSince: null });
    }
    await tx.flush();
    await record(tx, caller, 'webhook.changed', row, { enabled, ...change });
    return row;
  });
}

/**
 * Deletes a subscription: nothing more is delivered. Its deliveries are removed by the sweep.
 *
 * @throws AppError NOT_FOUND, FORBIDDEN
 */
export async function deleteSubscription(em: EntityManager, caller: Caller, id: string): Promise<void> {
  await em.transactional(async (tx) => {
    const row = await lockSubscription(tx, caller, id);
    if (row.enabled) await disableSubscription(tx, row, null);
    row.deletedAt = new Date();
    await tx.flush();
    await record(tx, caller, 'webhook.deleted', row, { url: row.url });
  });
}

/**
 * Gives a subscription another secret. For a day, the former one signs as well, if it can still be decrypted.
 *
 * @param secret a new one by default
 * @throws AppError NOT_FOUND, FORBIDDEN
 */
export async function rotateSecret(
  { em, cipher }: Omit<SubscriptionDeps, 'guard'>,
  caller: Caller,
  id: string,
  secret = newSecret(),
): Promise<CreatedSubscription> {
  return em.transactional(async (tx) => {
    const row = await lockSubscription(tx, caller, id);
    const previous = currentSecret(cipher, row);
    const now = new Date();
    Object.assign(row, sealSecrets(cipher, row.tenantId, { current: secret, previous }), {
      previousSecretUntil:
        previous === undefined ? null : new Date(now.getTime() + WEBHOOK_SECRET_OVERLAP_HOURS * HOUR_MS),
      updatedAt: now,
    });
    await tx.flush();
    await record(tx, caller, 'webhook.secret_rotated', row);
    return { subscription: row, secret };
  });
}

function currentSecret(cipher: SecretCipher, row: WebhookSubscription): string | undefined {
  try {
    return openSecrets(cipher, row).current;
  } catch (error) {
    if (error instanceof EncryptionKeyUnknown || error instanceof SecretUnreadable) return undefined;
    throw error;
  }
}

function record(
  tx: EntityManager,
  caller: Caller,
  type: 'webhook.changed' | 'webhook.deleted' | 'webhook.secret_rotated',
  { id }: WebhookSubscription,
  metadata?: Record<string, unknown>,
): Promise<void> {
  return recordAuditEvent(tx, {
    ...caller,
    type,
    resource: { type: 'webhook', id },
    ...(metadata && { metadata }),
  });
}
