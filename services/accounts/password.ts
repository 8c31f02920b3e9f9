import { argon2, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify(argon2);
/** OWASP's argon2id minimum: 19 MiB, 2 passes, 1 lane. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 } as const;

/** Hashes a password with argon2id into the PHC string format, parameters and salt included. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16);
  const hash = await derive('argon2id', { message: password, nonce, tagLength: 32, ...COST });
  return `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${base64(nonce)}$${base64(hash)}`;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replace(/=+$/, '');
}
