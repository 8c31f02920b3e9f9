import { EncryptionKeyUnknown, type SecretCipher } from '../adapters/encryption/secret-cipher.ts';
import type { Mailer } from '../adapters/mail/mailer.ts';
import type { WebhookSender } from '../adapters/webhook-sender/webhook-sender.ts';
import type { Orm } from '../db/create-orm.ts';
import { sendDelivery } from '../services/webhooks/send-delivery.ts';
import type { AttemptOutcome, DeliveryTarget } from '../temporal/contract/deliver-webhook.ts';
import { attempt, type FailureClass } from './attempt.ts';

export interface WebhookActivityDeps {
  orm: Orm;
  cipher: SecretCipher;
  sender: WebhookSender;
  /** Base of the links in event bodies. */
  mailer: Pick<Mailer, 'baseUrl'>;
  /** Called after each attempt, for metrics. */
  onWebhookAttempt: (outcome: AttemptOutcome['outcome']) => void;
}

/** The step of `deliverWebhook`, on the `webhooks` queue. */
export function createWebhookActivities({
  orm,
  cipher,
  sender,
  mailer: { baseUrl },
  onWebhookAttempt,
}: WebhookActivityDeps) {
  return {
    /** @param retryAfterMs delay of the next attempt after a failure; null if this is the last one */
    async sendWebhook(target: DeliveryTarget, retryAfterMs: number | null): Promise<AttemptOutcome> {
      const deps = { cipher, sender, baseUrl };
      const result = await attempt(
        ({ signal }) => sendDelivery(orm.em.fork(), deps, target, { retryAfterMs, signal }),
        classify,
        { counting: false },
      );
      onWebhookAttempt(result.outcome);
      return result;
    },
  };
}

/**
 * A missing encryption key is a configuration error of this service, which must not disable the webhook: the
 * attempt is retried until the key is there.
 */
function classify(error: unknown): FailureClass | undefined {
  if (!(error instanceof EncryptionKeyUnknown)) return undefined;
  return { kind: 'retryable', code: 'ENCRYPTION_KEY_UNKNOWN', message: error.message };
}
