import { createHash } from 'node:crypto';

/** The UUIDv5 namespace of these ids. */
const NAMESPACE = 'e0f0a6ec-8f2b-4f53-9d0b-6c1f6f1b7a10';

/** The id of a file's vector of one model (UUIDv5): indexing again overwrites it, another model's is separate. */
export function pointId(fileId: string, model: string): string {
  const hash = createHash('sha1')
    .update(Buffer.from(NAMESPACE.replaceAll('-', ''), 'hex'))
    .update(`${fileId}/${model}`)
    .digest();
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x50;
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80;
  const hex = hash.toString('hex', 0, 16);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
