import { GoogleError } from '../../adapters/google-sheets/google-error.ts';
import { AppError } from '../../domain/app-error.ts';

const RETRY_AFTER_SECONDS = 10;

/** Says to the client why an account cannot be connected. Throws anything else as it is. */
export function asAppError(error: unknown): never {
  const timedOut = error instanceof Error && error.name === 'TimeoutError';
  if (!(error instanceof GoogleError) && !timedOut) throw error;
  if (error instanceof GoogleError && !error.retryable) {
    throw new AppError(
      'CONNECTION_REJECTED',
      `${error.message}; connect the account again`,
      {},
      { cause: error },
    );
  }
  const wait = error instanceof GoogleError ? error.retryAfterSeconds : undefined;
  const details = { retryAfterSeconds: wait ?? RETRY_AFTER_SECONDS };
  const message = timedOut ? 'Google does not answer' : error.message;
  throw new AppError('CONNECTION_UNAVAILABLE', `${message}; try again`, details, { cause: error });
}
