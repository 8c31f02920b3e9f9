import type { SecretCipher } from '../../adapters/encryption/secret-cipher.ts';
import type { Connection } from '../../db/entities/connections/connection.ts';

/** @throws EncryptionKeyUnknown, SecretUnreadable */
export function refreshTokenOf(
  cipher: SecretCipher,
  { tenantId, credentials, encryptionKeyId }: Connection,
): string {
  return cipher.open(tenantId, { keyId: encryptionKeyId, sealed: credentials });
}

/** A refresh token as a connection stores it. */
export function sealRefreshToken(
  cipher: SecretCipher,
  tenantId: string,
  refreshToken: string,
): Pick<Connection, 'credentials' | 'encryptionKeyId'> {
  const { keyId, sealed } = cipher.seal(tenantId, refreshToken);
  return { credentials: sealed, encryptionKeyId: keyId };
}
