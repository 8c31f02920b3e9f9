import { z } from 'zod';
import { MAX_HASHES_CHECKED } from '../../../domain/limits.ts';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/i, 'must be a SHA-256 in 64 hexadecimal digits');

export const duplicatesBody = z.strictObject({
  hashes: z.array(sha256.toLowerCase()).min(1).max(MAX_HASHES_CHECKED),
});

export const duplicatesAnswer = z
  .object({
    duplicates: z.array(
      z.object({
        hash: z.string(),
        file_id: z.uuid().meta({ description: 'The oldest file with this content' }),
        filename: z.string(),
      }),
    ),
    unique: z.array(z.string()).meta({ description: 'Hashes that none of your files have, in lower case' }),
  })
  .meta({ id: 'CheckedHashes' });
