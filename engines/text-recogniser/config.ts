import { availableParallelism } from 'node:os';
import { z } from 'zod';

/** Languages and concurrency of text recognition. */
export const ocrConfig = z.object({
  OCR_LANGUAGES: z
    .string()
    .regex(/^[a-z]{3}(_[a-z]+)?(\+[a-z]{3}(_[a-z]+)?)*$/, 'must be codes joined by +, such as eng+deu')
    .default('eng+deu+fra+spa+ara')
    .transform((codes) => [...new Set(codes.split('+'))])
    .describe(
      'languages of text recognition, joined by `+`, such as `eng+deu`; each text is read in the one its words are of, which are first read in the first; each needs its package `@tesseract.js-data/CODE`',
    ),
  // A recogniser keeps one core busy.
  OCR_SLOTS: z.coerce
    .number()
    .int()
    .min(1)
    .default(availableParallelism())
    .meta({ description: 'concurrent text recognisers of one worker process', shownDefault: 'one per core' }),
});
