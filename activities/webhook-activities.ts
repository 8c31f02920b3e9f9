import type { SecretCipher } from '../adapters/encryption/secret-cipher.ts';
import type { Mailer } from '../adapters/mail/mailer.ts';
import type { WebhookSender } from '../adapters/webhook-sender/webhook-sender.ts';
import type { Orm } from '../db/create-orm.ts';
import { findDueDeliveries, postponeDelivery, retryDelivery } from '../services/webhooks/retry-deliveries.ts';
import type { AttemptOutcome, DeliveryTarget } from '../temporal/contract/deliver-webhook.ts';
import type { DueDeliveries, RetriedWebhook, RetryResult } from '../temporal/contract/retry-webhook.ts';
import { attempt } from './attempt.ts';

export interface WebhookActivityDeps {
  orm: Orm;
  cipher: SecretCipher;
  sender: WebhookSender;
  /** Base of the links in event bodies. */
  mailer: Pick<Mailer, 'baseUrl'>;
  /** Called after each attempt, for metrics. */
  onWebhookAttempt: (outcome: RetryResult['outcome']) => void;
}

/** The steps of `retryWebhook` and of `deliverWebhook`, on the `webhooks` queue. */
export function createWebhookActivities({
  orm,
  cipher,
  sender,
  mailer: { baseUrl },
  onWebhookAttempt,
}: WebhookActivityDeps) {
  const activities = {
    findDueDeliveries: (webhook: RetriedWebhook): Promise<DueDeliveries> =>
      attempt(
        () => findDueDeliveries(orm.em.fork(), webhook),
        () => undefined,
        { counting: false },
      ),

    async retryDelivery(target: DeliveryTarget): Promise<RetryResult> {
      const deps = { cipher, sender, baseUrl };
      const result = await attempt(
        ({ signal }) => retryDelivery(orm.em.fork(), deps, target, signal),
        () => undefined,
        { counting: false },
      );
      onWebhookAttempt(result.outcome);
      return result;
    },

    postponeDelivery: (target: DeliveryTarget): Promise<void> =>
      attempt(
        () => postponeDelivery(orm.em.fork(), target),
        () => undefined,
        { counting: false },
      ),

    /** Of workflows of version 0.1, which leave further attempts to `retryWebhook`. */
    async sendWebhook(target: DeliveryTarget, _retryAfterMs: number | null): Promise<AttemptOutcome> {
      const { outcome } = await activities.retryDelivery(target);
      return { outcome: outcome === 'delivered' || outcome === 'failed' ? outcome : 'ended' };
    },
  };
  return activities;
}
