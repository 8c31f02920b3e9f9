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
  /** Where links in bodies lead. */
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
    /** @param retryAfterMs when the next attempt is due, after a failure; null if this is the last one */
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

/** A key that is missing here is a mistake of ours, which must not disable the webhook: the attempt waits for the key. */
function classify(error: unknown): FailureClass | undefined {
  if (!(error instanceof EncryptionKeyUnknown)) return undefined;
  return { kind: 'retryable', code: 'ENCRYPTION_KEY_UNKNOWN', message: error.message };
}
