import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { EncryptionConfig, EncryptionKey } from './config.ts';

/** An encrypted secret. */
export interface SealedSecret {
  /** The key that encrypted it. */
  keyId: string;
  sealed: string;
}

/** Encrypts secrets at rest. */
export interface SecretCipher {
  /** The key that `seal` uses. */
  readonly currentKeyId: string;
  /** Encrypts with the current key, for this tenant alone. */
  seal(tenantId: string, secret: string): SealedSecret;
  /** @throws EncryptionKeyUnknown, SecretUnreadable */
  open(tenantId: string, secret: SealedSecret): string;
}

/** A secret is encrypted with a key that is not configured. */
export class EncryptionKeyUnknown extends Error {
  override readonly name = 'EncryptionKeyUnknown';
}

/** A secret was changed, belongs to another tenant, or the key under this id is not the one that encrypted it. */
export class SecretUnreadable extends Error {
  override readonly name = 'SecretUnreadable';
}

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256-GCM with a random IV. The tenant and the key's id are authenticated, so a secret cannot be moved to another tenant. */
export function createSecretCipher({
  ENCRYPTION_KEY: current,
  ENCRYPTION_FORMER_KEYS,
}: EncryptionConfig): SecretCipher {
  const keys = new Map([...ENCRYPTION_FORMER_KEYS, current].map((key) => [key.id, key]));
  return {
    currentKeyId: current.id,

    seal(tenantId, secret) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(ALGORITHM, current.bytes, iv, { authTagLength: TAG_BYTES });
      cipher.setAAD(authenticated(tenantId, current));
      const bytes = Buffer.concat([iv, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return { keyId: current.id, sealed: bytes.toString('base64') };
    },

    open(tenantId, { keyId, sealed }) {
      const key = keys.get(keyId);
      if (!key) throw new EncryptionKeyUnknown(`no encryption key "${keyId}" is configured`);
      const bytes = Buffer.from(sealed, 'base64');
      try {
        const iv = bytes.subarray(0, IV_BYTES);
        const decipher = createDecipheriv(ALGORITHM, key.bytes, iv, { authTagLength: TAG_BYTES });
        decipher.setAAD(authenticated(tenantId, key));
        decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
        const body = bytes.subarray(IV_BYTES, -TAG_BYTES);
        return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
      } catch (cause) {
        throw new SecretUnreadable(`the secret cannot be decrypted with key "${keyId}"`, { cause });
      }
    },
  };
}

function authenticated(tenantId: string, { id }: EncryptionKey): Buffer {
  return Buffer.from(JSON.stringify([tenantId, id]));
}
