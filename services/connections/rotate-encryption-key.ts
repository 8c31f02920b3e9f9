import { LockMode, type EntityName, type FindOptions } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import {
  EncryptionKeyUnknown,
  SecretUnreadable,
  type SecretCipher,
} from '../../adapters/encryption/secret-cipher.ts';
import { StorageConfig } from '../../db/entities/accounts/storage-config.ts';
import { Connection } from '../../db/entities/connections/connection.ts';
import { WebhookSubscription } from '../../db/entities/webhooks/webhook-subscription.ts';
import { credentialsOf, sealCredentials } from '../storage/tenant-stores.ts';
import { openSecrets, sealSecrets } from '../webhooks/secrets.ts';
import { secretOf, sealSecret } from './sealed-secret.ts';
import { BEFORE_ALL } from '../shared/sql.ts';

const PAGE = 100;

export interface KeyRotation {
  /** Number of secrets re-encrypted with the current key. */
  rotated: number;
  /** Secrets that could not be decrypted. */
  unreadable: { what: string; id: string; tenantId: string; reason: string }[];
}

interface SecretRow {
  id: string;
  tenantId: string;
  encryptionKeyId: string;
}

/** A kind of row with a secret. */
interface SecretKind<T extends SecretRow> {
  what: string;
  entity: EntityName<T>;
  /** Encrypts its secret with the current key. */
  reseal: (cipher: SecretCipher, row: T) => void;
}

const storageConfigs: SecretKind<StorageConfig> = {
  what: 'storage configuration',
  entity: StorageConfig,
  reseal: (cipher, row) =>
    void Object.assign(row, sealCredentials(cipher, row.tenantId, credentialsOf(cipher, row))),
};
const connections: SecretKind<Connection> = {
  what: 'connection',
  entity: Connection,
  reseal: (cipher, row) => void Object.assign(row, sealSecret(cipher, row.tenantId, secretOf(cipher, row))),
};
const webhookSubscriptions: SecretKind<WebhookSubscription> = {
  what: 'webhook subscription',
  entity: WebhookSubscription,
  reseal: (cipher, row) =>
    void Object.assign(row, sealSecrets(cipher, row.tenantId, openSecrets(cipher, row))),
};

/**
 * Re-encrypts all secrets under former keys with the current key, one page per transaction. An interrupted
 * rotation resumes where it stopped: rows with the current key are not read again.
 *
 * @param onPage called after each page
 */
export async function rotateEncryptionKey(
  em: EntityManager,
  cipher: SecretCipher,
  onPage: (progress: KeyRotation) => void = () => undefined,
): Promise<KeyRotation> {
  const progress: KeyRotation = { rotated: 0, unreadable: [] };
  await rotateKind(em, cipher, storageConfigs, progress, onPage);
  await rotateKind(em, cipher, connections, progress, onPage);
  await rotateKind(em, cipher, webhookSubscriptions, progress, onPage);
  return progress;
}

async function rotateKind<T extends SecretRow>(
  em: EntityManager,
  cipher: SecretCipher,
  kind: SecretKind<T>,
  progress: KeyRotation,
  onPage: (progress: KeyRotation) => void,
): Promise<void> {
  for (let after: string | undefined = BEFORE_ALL; after !== undefined;) {
    after = await rotatePage(em.fork(), cipher, kind, after, progress);
    onPage(progress);
  }
}

/** @returns the last id of the page; undefined after the last page */
async function rotatePage<T extends SecretRow>(
  em: EntityManager,
  cipher: SecretCipher,
  { what, entity, reseal }: SecretKind<T>,
  after: string,
  progress: KeyRotation,
): Promise<string | undefined> {
  return em.transactional(async (tx) => {
    const former: object = { id: { $gt: after }, encryptionKeyId: { $ne: cipher.currentKeyId } };
    const page = await tx.find(entity, former, {
      orderBy: { id: 'asc' } as NonNullable<FindOptions<T>['orderBy']>,
      limit: PAGE,
      lockMode: LockMode.PESSIMISTIC_WRITE,
    });
    for (const row of page as T[]) {
      try {
        reseal(cipher, row);
        progress.rotated += 1;
      } catch (error) {
        if (!(error instanceof EncryptionKeyUnknown || error instanceof SecretUnreadable)) throw error;
        const { id, tenantId } = row;
        progress.unreadable.push({ what, id, tenantId, reason: error.message });
      }
    }
    await tx.flush();
    return page.length === PAGE ? page.at(-1)?.id : undefined;
  });
}
