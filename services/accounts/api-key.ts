import { createHash, randomBytes } from 'node:crypto';

/** `drk_<8-character id>_<43-character secret>`: the id is safe in logs, the secret is 256 random bits. */
const API_KEY = /^drk_([A-Za-z0-9]{8})_[A-Za-z0-9_-]{43}$/;

/** A new key; only its hash may be stored. */
export function generateApiKey(): { id: string; key: string; hash: string } {
  const id = randomBytes(4).toString('hex');
  const key = `drk_${id}_${randomBytes(32).toString('base64url')}`;
  return { id, key, hash: hashApiKey(key) };
}

export function isApiKey(text: string): boolean {
  return API_KEY.test(text);
}

/** SHA-256 hex. A key has 256 bits of entropy, so it needs neither a salt nor a slow hash. */
export function hashApiKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
