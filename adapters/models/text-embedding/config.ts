import { z } from 'zod';

/** Settings of the text model. Without a model name, texts are embedded offline, in English. */
export const textEmbeddingConfig = z
  .object({
    TEXT_EMBEDDING_MODEL: z
      .string()
      .optional()
      .describe(
        'model for embeddings of documents at an OpenAI-compatible endpoint; without it, an English model runs in the process',
      ),
    TEXT_EMBEDDING_DIMENSION: z.coerce
      .number()
      .int()
      .min(1)
      .max(8192)
      .optional()
      .describe('dimensions of its vectors; required with `TEXT_EMBEDDING_MODEL`'),
    TEXT_EMBEDDING_BASE_URL: z
      .url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' })
      .optional()
      .meta({ description: 'endpoint of that model', shownDefault: '`OPENAI_BASE_URL`' }),
  })
  .superRefine((config, context) => {
    if (config.TEXT_EMBEDDING_MODEL === undefined || config.TEXT_EMBEDDING_DIMENSION !== undefined) return;
    context.addIssue({
      code: 'custom',
      path: ['TEXT_EMBEDDING_DIMENSION'],
      message: 'required with TEXT_EMBEDDING_MODEL: the number of dimensions of its vectors',
    });
  });
export type TextEmbeddingConfig = z.output<typeof textEmbeddingConfig>;
