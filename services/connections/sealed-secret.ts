import type { SecretCipher } from '../../adapters/encryption/secret-cipher.ts';
import type { Connection } from '../../db/entities/connections/connection.ts';

/**
 * The refresh token of a connection, or the key of a bucket as JSON.
 *
 * @throws EncryptionKeyUnknown, SecretUnreadable
 */
export function secretOf(
  cipher: SecretCipher,
  { tenantId, credentials, encryptionKeyId }: Connection,
): string {
  return cipher.open(tenantId, { keyId: encryptionKeyId, sealed: credentials });
}

/** A secret as a connection stores it. */
export function sealSecret(
  cipher: SecretCipher,
  tenantId: string,
  secret: string,
): Pick<Connection, 'credentials' | 'encryptionKeyId'> {
  const { keyId, sealed } = cipher.seal(tenantId, secret);
  return { credentials: sealed, encryptionKeyId: keyId };
}
