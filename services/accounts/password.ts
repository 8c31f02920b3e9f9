import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { normalisePassword, refusePassword } from '../../domain/accounts/password-rules.ts';
import { createSemaphore } from '../../adapters/semaphore.ts';
import { AppError, invalidField } from '../../domain/app-error.ts';
import { isCommonPassword } from '../../adapters/common-passwords.ts';

/**
 * Each takes 19 MB and most of a core for 40 ms, in the thread pool that Node also uses for file access: two at a time
 * leave threads free.
 */
const AT_ONCE = 2;
const WAIT_MS = 5_000;
const RETRY_AFTER_SECONDS = 2;

const derive = promisify(argon2);
/** OWASP's argon2id minimum: 19 MiB, 2 passes, 1 lane. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 } as const;
const HASH_BYTES = 32;
/** As `hashPassword` writes it. */
const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** A password of 120 random bits. */
export function generatePassword(): string {
  return randomBytes(15).toString('base64url');
}

/** Hashes a password with argon2id into the PHC string format, parameters and salt included. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16);
  const message = normalisePassword(password);
  const hash = await derive('argon2id', { message, nonce, tagLength: HASH_BYTES, ...COST });
  return `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${base64(nonce)}$${base64(hash)}`;
}

/**
 * Whether a password has this hash. Without a hash, the same work is done: response times must not reveal whether
 * there is a user.
 */
export async function verifyPassword(password: string, phc: string | null | undefined): Promise<boolean> {
  const [, memory, passes, parallelism, salt = '', expected = ''] = PHC.exec(phc ?? '') ?? [];
  const message = normalisePassword(password);
  if (expected === '') {
    await derive('argon2id', { message, nonce: randomBytes(16), tagLength: HASH_BYTES, ...COST });
    return false;
  }
  const hash = Buffer.from(expected, 'base64');
  const found = await derive('argon2id', {
    message,
    nonce: Buffer.from(salt, 'base64'),
    tagLength: hash.length,
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
  });
  return timingSafeEqual(found, hash);
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString('base64')
    .replace(/(?<!=)=+$/, '');
}

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

/**
 * Rejects a password that violates the rules.
 *
 * @param pointer JSON pointer to the password in the request
 * @throws AppError VALIDATION_FAILED
 */
export function checkNewPassword(password: string, email: string, pointer = '/body/password'): void {
  const refusal = refusePassword(password, { email, isCommon: isCommonPassword });
  if (refusal) throw invalidField(pointer, refusal);
}
