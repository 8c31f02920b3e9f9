import { EncryptionKeyUnknown, SecretUnreadable } from '../../adapters/encryption/secret-cipher.ts';
import {
  ObjectNotFound,
  ObjectStoreFull,
  ObjectStoreRefused,
  ObjectStoreUnavailable,
} from '../../adapters/object-store/object-store.ts';
import { AddressRefused } from '../../adapters/outbound/address-guard.ts';
import { AppError } from '../../domain/app-error.ts';
import { isBucketFailure, type BucketFailureCode } from '../../domain/bucket-failure.ts';

const RETRY_AFTER_SECONDS = 60;

/** Fixed messages, since a tenant's store may return any text. */
const REFUSALS: Readonly<Record<string, string>> = {
  AccessDenied: 'its credentials do not permit this',
  AccountProblem: 'there is a problem with its account',
  AllAccessDisabled: 'all access to it is disabled',
  AuthorizationHeaderMalformed: 'it is in another region',
  ExpiredToken: 'its credentials have expired',
  InvalidAccessKeyId: 'it does not know the access key id',
  InvalidBucketName: 'its name is not valid',
  InvalidToken: 'its credentials are not valid',
  NoSuchBucket: 'it does not exist',
  PermanentRedirect: 'it is in another region, or at another endpoint',
  SignatureDoesNotMatch: 'the secret access key is wrong',
};
const NETWORK_FAILURES: readonly (readonly [RegExp, string])[] = [
  [/ENOTFOUND|EAI_/, 'the host name of its endpoint cannot be resolved'],
  [/ECONNREFUSED/, 'its endpoint refuses connections'],
  [/CERT|SIGNED|ERR_TLS|EPROTO|ERR_SSL/, 'its endpoint has no valid certificate'],
];

/** Whether the bucket is gone, with all objects in it. */
export function isBucketGone(error: unknown): boolean {
  const cause = isBucketFailure(error) ? error.cause : error;
  return cause instanceof ObjectStoreRefused && cause.code === 'NoSuchBucket';
}

/** The AppError for a failure of a tenant's own bucket; errors about a single object stay as they are. */
export function explainBucketFailure(cause: unknown): unknown {
  if (cause instanceof ObjectNotFound || cause instanceof AppError) return cause;
  if (cause instanceof EncryptionKeyUnknown || cause instanceof SecretUnreadable) {
    return failure(
      'ENCRYPTION_KEY_UNKNOWN',
      'its credentials cannot be decrypted; configure it again',
      cause,
    );
  }
  const refused = [...causes(cause)].find((error) => error instanceof AddressRefused);
  if (refused)
    return failure('STORAGE_REJECTED', 'its endpoint must have a public address, and use https', cause);
  if (cause instanceof ObjectStoreRefused) {
    return failure('STORAGE_REJECTED', REFUSALS[cause.code] ?? 'it refuses access', cause);
  }
  if (cause instanceof ObjectStoreFull) return failure('STORAGE_REJECTED', 'it has no room left', cause);
  if (cause instanceof ObjectStoreUnavailable) {
    const texts = [...causes(cause)].map((error) => `${codeOf(error)} ${error.message}`).join(' ');
    const known = NETWORK_FAILURES.find(([pattern]) => pattern.test(texts));
    return failure(
      'STORAGE_UNREACHABLE',
      known?.[1] ?? 'it does not answer as S3 does, or not in time',
      cause,
    );
  }
  return cause;
}

function failure(code: BucketFailureCode, why: string, cause: unknown): AppError {
  const details = { retryAfterSeconds: RETRY_AFTER_SECONDS };
  return new AppError(code, `the bucket of this account cannot be used: ${why}`, details, { cause });
}

function* causes(error: unknown): Generator<Error> {
  for (let cause = error; cause instanceof Error; cause = cause.cause) yield cause;
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}
