import { createSemaphore } from '../../adapters/semaphore.ts';
import { AppError } from '../../domain/app-error.ts';
import { hashPassword, verifyPassword } from './password.ts';

/**
 * Each takes 19 MB and most of a core for 40 ms, in the threads that Node also reads files with: two at a time leave it
 * some.
 */
const AT_ONCE = 2;
const WAIT_MS = 5_000;
const RETRY_AFTER_SECONDS = 2;

/** Hashing of passwords, so many at a time in this process that logins can exhaust neither its CPU nor its memory. */
export interface PasswordHasher {
  /** @throws AppError SERVICE_UNAVAILABLE when too many wait */
  hash(password: string): Promise<string>;
  /** See `verifyPassword`. Throws AppError SERVICE_UNAVAILABLE when too many wait. */
  verify(password: string, hash: string | null | undefined): Promise<boolean>;
}

export function createPasswordHasher(): PasswordHasher {
  const slots = createSemaphore(AT_ONCE);

  async function inTurn<R>(work: () => Promise<R>): Promise<R> {
    try {
      await slots.acquire(AbortSignal.timeout(WAIT_MS));
    } catch (cause) {
      const details = { retryAfterSeconds: RETRY_AFTER_SECONDS };
      throw new AppError('SERVICE_UNAVAILABLE', 'too many logins at once; try again', details, { cause });
    }
    try {
      return await work();
    } finally {
      slots.release();
    }
  }

  return {
    hash: (password) => inTurn(() => hashPassword(password)),
    verify: (password, hash) => inTurn(() => verifyPassword(password, hash)),
  };
}
