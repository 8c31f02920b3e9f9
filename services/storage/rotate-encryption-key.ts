import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import {
  EncryptionKeyUnknown,
  SecretUnreadable,
  type SecretCipher,
} from '../../adapters/encryption/secret-cipher.ts';
import { StorageConfig } from '../../db/entities/accounts/storage-config.ts';
import { credentialsOf, sealCredentials } from './tenant-stores.ts';

const PAGE = 100;
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

export interface KeyRotation {
  /** Encrypted with the current key now. */
  rotated: number;
  /** Could not be decrypted: a key is missing. */
  unreadable: { id: string; tenantId: string; reason: string }[];
}

/**
 * Encrypts all secrets with the current key that are encrypted with a former one, a page in a transaction. What was
 * interrupted goes on where it stopped: rows with the current key are not read again.
 *
 * @param onPage called after each page
 */
export async function rotateEncryptionKey(
  em: EntityManager,
  cipher: SecretCipher,
  onPage: (progress: KeyRotation) => void = () => undefined,
): Promise<KeyRotation> {
  const progress: KeyRotation = { rotated: 0, unreadable: [] };
  for (let after: string | undefined = BEFORE_ALL; after !== undefined;) {
    after = await rotatePage(em.fork(), cipher, after, progress);
    onPage(progress);
  }
  return progress;
}

/** @returns the last id of the page; undefined after the last page */
async function rotatePage(
  em: EntityManager,
  cipher: SecretCipher,
  after: string,
  progress: KeyRotation,
): Promise<string | undefined> {
  return em.transactional(async (tx) => {
    const page = await tx.find(
      StorageConfig,
      { id: { $gt: after }, encryptionKeyId: { $ne: cipher.currentKeyId } },
      { orderBy: { id: 'asc' }, limit: PAGE, lockMode: LockMode.PESSIMISTIC_WRITE },
    );
    for (const config of page) {
      try {
        Object.assign(config, sealCredentials(cipher, config.tenantId, credentialsOf(cipher, config)));
        progress.rotated += 1;
      } catch (error) {
        if (!(error instanceof EncryptionKeyUnknown || error instanceof SecretUnreadable)) throw error;
        const { id, tenantId } = config;
        progress.unreadable.push({ id, tenantId, reason: error.message });
      }
    }
    await tx.flush();
    return page.length === PAGE ? page.at(-1)?.id : undefined;
  });
}
