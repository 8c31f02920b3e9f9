import { OidcError } from '../../../adapters/oidc/oidc-provider.ts';
import { AppError } from '../../../domain/app-error.ts';

const RETRY_AFTER_SECONDS = 10;

/** Says to the client what went wrong at the identity provider. Throws anything else as it is. */
export function asAppError(error: unknown): never {
  if (!(error instanceof OidcError)) throw error;
  if (!error.unreachable) throw identityRejected(error.message, error);
  const details = { retryAfterSeconds: RETRY_AFTER_SECONDS };
  throw new AppError('SERVICE_UNAVAILABLE', `${error.message}; try again`, details, { cause: error });
}

export function identityRejected(reason: string, cause?: unknown): AppError {
  return new AppError('IDENTITY_REJECTED', `${reason}; start the login again`, {}, { cause });
}
