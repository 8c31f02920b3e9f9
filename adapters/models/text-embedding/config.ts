import { z } from 'zod';
import { localModelSetting, onnxConfig } from '../../../engines/onnx/config.ts';

/** Text before each query or passage. */
const prefix = (what: string) =>
  z
    .string()
    .transform((text) => (/\s$/.test(text) ? text : `${text} `))
    .optional()
    .meta({
      description: `text that the model of \`TEXT_EMBEDDING\` expects before ${what}; a space follows it`,
      shownDefault: 'what the model or its family asks for',
    });

/** Settings of the text model. Without one, texts are embedded by the bundled English model. */
export const textEmbeddingConfig = z
  .object({
    TEXT_EMBEDDING: localModelSetting()
      .optional()
      .describe(
        'ONNX sentence model for the meaning of documents, run in the process: `local:/path/of/a/folder`, or `local:ORGANISATION/NAME@COMMIT`, which is fetched from `MODEL_HUB_URL` once; without it, the model of `TEXT_EMBEDDING_MODEL`, else a bundled English one',
      ),
    TEXT_EMBEDDING_QUERY_PREFIX: prefix('a question'),
    TEXT_EMBEDDING_PASSAGE_PREFIX: prefix('a text of a document'),
    ...onnxConfig.shape,
    TEXT_EMBEDDING_MODEL: z
      .string()
      .optional()
      .describe(
        'model for the meaning of documents at an OpenAI-compatible endpoint, instead of `TEXT_EMBEDDING`',
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
    if (config.TEXT_EMBEDDING !== undefined && config.TEXT_EMBEDDING_MODEL !== undefined)
      context.addIssue({
        code: 'custom',
        path: ['TEXT_EMBEDDING'],
        message: 'is set, and so is TEXT_EMBEDDING_MODEL; unset one of them',
      });
    if (config.TEXT_EMBEDDING_MODEL === undefined || config.TEXT_EMBEDDING_DIMENSION !== undefined) return;
    context.addIssue({
      code: 'custom',
      path: ['TEXT_EMBEDDING_DIMENSION'],
      message: 'required with TEXT_EMBEDDING_MODEL: the number of dimensions of its vectors',
    });
  });
export type TextEmbeddingConfig = z.output<typeof textEmbeddingConfig>;
