import { createHash } from 'node:crypto';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Whether client input may be compared with an id column: Postgres rejects anything else with an error. Accepts any
 * version and either case; rows store lower case.
 */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** The UUIDv5 namespace of these ids. */
const NAMESPACE = 'e0f0a6ec-8f2b-4f53-9d0b-6c1f6f1b7a10';

/** The UUIDv5 of a name; deterministic. */
export function nameUuid(name: string): string {
  const hash = createHash('sha1')
    .update(Buffer.from(NAMESPACE.replaceAll('-', ''), 'hex'))
    .update(name)
    .digest();
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x50;
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80;
  const hex = hash.toString('hex', 0, 16);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
