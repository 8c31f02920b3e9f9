import { createHash, randomBytes } from 'node:crypto';

/** 256 random bits, base64url: the value of a cookie, or the token of an email. Only its hash may be stored. */
export function generateToken(): { token: string; hash: string } {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: hashToken(token) };
}

/** SHA-256 hex. A token has 256 bits of entropy, so it needs neither a salt nor a slow hash. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
