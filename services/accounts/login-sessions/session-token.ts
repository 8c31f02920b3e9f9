import { createHash, randomBytes } from 'node:crypto';

/** The value of the session cookie: 256 random bits, base64url. Only its hash may be stored. */
export function generateSessionToken(): { token: string; hash: string } {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: hashSessionToken(token) };
}

/** SHA-256 hex. A token has 256 bits of entropy, so it needs neither a salt nor a slow hash. */
export function hashSessionToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
