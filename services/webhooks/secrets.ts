import { randomBytes } from 'node:crypto';
import type { SecretCipher } from '../../adapters/encryption/secret-cipher.ts';
import type { WebhookSubscription } from '../../db/entities/webhooks/webhook-subscription.ts';

const SECRET_BYTES = 32;

/**
 * The secrets of a subscription, each as `whsec_…`; the former one also signs for a while after a rotation.
 */
interface WebhookSecrets {
  current: string;
  previous?: string | undefined;
}

/** A random secret, as `whsec_…`. */
export function newSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/** Encrypts secrets as a subscription stores them. */
export function sealSecrets(
  cipher: SecretCipher,
  tenantId: string,
  { current, previous }: WebhookSecrets,
): Pick<WebhookSubscription, 'secret' | 'previousSecret' | 'encryptionKeyId'> {
  const { keyId, sealed } = cipher.seal(tenantId, current);
  const previousSecret = previous === undefined ? null : cipher.seal(tenantId, previous).sealed;
  return { secret: sealed, previousSecret, encryptionKeyId: keyId };
}

/**
 * The decrypted secrets of a subscription; the former one even if it has expired.
 *
 * @throws EncryptionKeyUnknown, SecretUnreadable
 */
export function openSecrets(
  cipher: SecretCipher,
  { tenantId, secret, previousSecret, encryptionKeyId: keyId }: WebhookSubscription,
): WebhookSecrets {
  const open = (sealed: string) => cipher.open(tenantId, { keyId, sealed });
  return { current: open(secret), ...(previousSecret && { previous: open(previousSecret) }) };
}
