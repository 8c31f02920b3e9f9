import { z } from 'zod';

/** A 256-bit key; its id is stored with the secrets that it encrypts. */
export interface EncryptionKey {
  id: string;
  bytes: Buffer;
}

const KEY = /^([\w-]{1,32}):([A-Za-z0-9+/]{43}=)$/;
const FORM = 'must be ID:KEY, where KEY is 32 bytes in base64 (openssl rand -base64 32)';

const key = z
  .string()
  .regex(KEY, FORM)
  .transform((text): EncryptionKey => {
    const [, id = '', bytes = ''] = KEY.exec(text) ?? [];
    return { id, bytes: Buffer.from(bytes, 'base64') };
  });

/** Keys of secrets in the database: the current one, and former ones that still decrypt until a rotation has ended. */
export const encryptionConfig = z.object({
  ENCRYPTION_KEY: key.describe(
    'encrypts the secrets of tenants: `ID:KEY` with 32 bytes in base64; keep a copy',
  ),
  ENCRYPTION_FORMER_KEYS: z
    .string()
    .default('')
    .transform((text) => text.split(',').flatMap((one) => one.trim() || []))
    .pipe(z.array(key))
    .describe('keys that still decrypt, separated by commas, until the secrets are rotated'),
});
export type EncryptionConfig = z.output<typeof encryptionConfig>;
