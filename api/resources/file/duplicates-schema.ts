import { z } from 'zod';
import { MAX_HASHES_CHECKED } from '../../../domain/limits.ts';
import { filename } from '../fields.ts';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/i, 'must be a SHA-256 in 64 hexadecimal digits');

export const duplicatesBody = z.strictObject({
  hashes: z
    .array(sha256.toLowerCase())
    .min(1)
    .max(MAX_HASHES_CHECKED)
    .describe('SHA-256 of each file, hexadecimal'),
});

export const duplicatesAnswer = z
  .object({
    duplicates: z
      .array(
        z.object({
          hash: z.string().describe('The hash, in lower case'),
          file_id: z.uuid().meta({ description: 'The oldest file with this content' }),
          filename,
        }),
      )
      .describe('Hashes that files of yours have'),
    unique: z.array(z.string()).meta({ description: 'Hashes that none of your files have, in lower case' }),
  })
  .meta({ id: 'CheckedHashes' });
