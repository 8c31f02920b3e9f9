import type { EntityManager } from '@mikro-orm/postgresql';
import { EncryptionKeyUnknown, SecretUnreadable } from '../../adapters/encryption/secret-cipher.ts';
import {
  ObjectNotFound,
  ObjectStoreRefused,
  ObjectStoreUnavailable,
} from '../../adapters/object-store/object-store.ts';
import type { AllowedFolder } from '../../adapters/source-folder/allowed-folder.ts';
import type { ListedSource } from '../../adapters/object-store/parse-listing.ts';
import {
  isPathOfUrl,
  SourceChanged,
  SourceFailed,
  SourceKeyInvalid,
} from '../../adapters/object-store/source-bucket.ts';
import type { FileImport } from '../../db/entities/imports/import.ts';
import { AppError } from '../../domain/app-error.ts';
import { isBucketFailure } from '../../domain/bucket-failure.ts';
import type { FailureReason } from '../../domain/components.ts';
import { findConnection } from '../connections/connections.ts';
import { bucketKeyOf, openSourceBucket } from '../connections/source-buckets.ts';
import { explainBucketFailure } from '../storage/explain-bucket-failure.ts';
import { folderReason, openFolder } from './folder-source.ts';
import type { OpenSource } from './source.ts';
import { manifestReason, openManifest, type ManifestDeps } from './manifest-source.ts';
import { requireStorageConfig } from '../storage/read-storage.ts';
import { credentialsOf, type BucketAccess } from '../storage/tenant-stores.ts';

export interface SourceDeps extends BucketAccess, ManifestDeps {
  em: EntityManager;
  /** Those that the operator allows. */
  folders: readonly AllowedFolder[];
}

const KEY_INVALID: FailureReason = {
  code: 'SOURCE_KEY_INVALID',
  message: 'a key with "." or ".." between slashes cannot be asked for',
};
/** Keys of a page: a page and its items are one transaction. */
const KEYS_PER_PAGE = 500;

/** @throws AppError NOT_FOUND, STORAGE_NOT_CONFIGURED; EncryptionKeyUnknown, SecretUnreadable */
export async function openSource(
  deps: SourceDeps,
  { tenantId, source }: Pick<FileImport, 'tenantId' | 'source'>,
): Promise<OpenSource> {
  if (source.type === 'folder') return openFolder(deps.folders, tenantId, source.path);
  const connectionId = source.type === 'own_bucket' ? undefined : source.connectionId;
  if (source.type === 'manifest' && connectionId === undefined) {
    return openManifest(deps, tenantId, source.url);
  }
  const { address, key } = await bucketOf(deps, tenantId, connectionId);
  const bucket = openSourceBucket(address, key, deps.guard);
  const open: OpenSource['open'] = ({ key: objectKey, etag }, signal) => bucket.open(objectKey, etag, signal);
  if (source.type === 'manifest') {
    return {
      ...openManifest(deps, tenantId, source.url, open),
      probe: (signal) => bucket.list({ prefix: '', limit: 1, token: undefined, signal }),
    };
  }
  return {
    open,
    async list(token, signal) {
      const page = await bucket.list({ prefix: source.prefix, limit: KEYS_PER_PAGE, token, signal });
      const files = page.objects
        .filter((object) => !isNoFile(object, tenantId))
        .map((object) => (isPathOfUrl(object.key) ? object : { ...object, reason: KEY_INVALID }));
      return { files, next: page.token };
    },
  };
}

/**
 * What no client has put there: the objects of this service in the bucket of an account, which an import into it would find
 * again and again, and the empty objects with which consoles of stores stand for folders.
 */
function isNoFile({ key, sizeBytes }: ListedSource, tenantId: string): boolean {
  return key.startsWith(`tenants/${tenantId}/`) || (key.endsWith('/') && sizeBytes === 0);
}

async function bucketOf({ em, cipher }: SourceDeps, tenantId: string, connectionId: string | undefined) {
  if (connectionId === undefined) {
    const config = await requireStorageConfig(em, tenantId);
    return { address: config, key: credentialsOf(cipher, config) };
  }
  const connection = await findConnection(em, tenantId, connectionId, 's3');
  if (!connection.bucket) throw new Error(`connection ${connection.id} has no bucket`);
  return { address: connection.bucket, key: bucketKeyOf(cipher, connection) };
}

/** Whether a failure is that of the source as a whole, which may be over later. */
export function isSourceDown(error: unknown): boolean {
  if (folderReason(error)?.code === 'SOURCE_UNAVAILABLE') return true;
  return (
    error instanceof SourceFailed &&
    error.reason instanceof ObjectStoreUnavailable &&
    !(error.reason instanceof ObjectStoreRefused)
  );
}

/** Whether a failure of a file can be that of the whole source: also a file that is missing, as all of a disk that is not mounted. */
export function mayBeDown(error: unknown): boolean {
  return isSourceDown(error) || folderReason(error)?.code === 'SOURCE_GONE';
}

/** Why a source cannot be opened; undefined for other errors. */
export function openingReason(error: unknown): FailureReason | undefined {
  if (error instanceof EncryptionKeyUnknown || error instanceof SecretUnreadable) {
    const message = 'the key of the bucket cannot be decrypted; connect it again';
    return { code: 'ENCRYPTION_KEY_UNKNOWN', message };
  }
  if (error instanceof AppError && (error.code === 'NOT_FOUND' || error.code === 'STORAGE_NOT_CONFIGURED')) {
    return { code: 'CONNECTION_GONE', message: 'the connection to the source was deleted' };
  }
  return undefined;
}

/** Why a source or one of its files cannot be read, with a message that is safe to show; undefined for other errors. */
export function sourceReason(error: unknown): FailureReason | undefined {
  if (!(error instanceof SourceFailed)) return folderReason(error) ?? manifestReason(error);
  const { reason } = error;
  if (reason instanceof SourceChanged)
    return { code: 'SOURCE_CHANGED', message: 'it has changed since it was listed; import it again' };
  if (reason instanceof SourceKeyInvalid) return KEY_INVALID;
  if (reason instanceof ObjectNotFound)
    return { code: 'SOURCE_GONE', message: 'it is no longer at the source' };
  const explained = explainBucketFailure(reason);
  if (!isBucketFailure(explained)) return undefined;
  const message = explained.message.replace('the bucket of this account', 'the source');
  return { code: isSourceDown(error) ? 'SOURCE_UNAVAILABLE' : 'SOURCE_DENIED', message };
}
