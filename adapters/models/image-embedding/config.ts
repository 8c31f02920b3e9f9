import { z } from 'zod';
import { localModelSetting } from '../../../engines/onnx/config.ts';

/** Settings of the model for images. Without one, those of the service compare images, with texts as well, or measurements do without texts. */
export const imageEmbeddingConfig = z
  .object({
    IMAGE_EMBEDDING: localModelSetting()
      .optional()
      .describe(
        'CLIP or SigLIP model, which finds images by what they show instead of the models of the service, run in the process: `local:/path/of/a/folder`, or `local:ORGANISATION/NAME@COMMIT` of the hub',
      ),
    IMAGE_EMBEDDING_MODEL: z
      .string()
      .optional()
      .describe(
        'instead of it, a model for images and texts at an endpoint that takes `{"image": DATA_URL}` and `{"text": …}` as inputs of embeddings',
      ),
    IMAGE_EMBEDDING_DIMENSION: z.coerce
      .number()
      .int()
      .min(1)
      .max(8192)
      .optional()
      .describe('dimensions of its vectors; required with `IMAGE_EMBEDDING_MODEL`'),
    IMAGE_EMBEDDING_BASE_URL: z
      .url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' })
      .optional()
      .describe('that endpoint, with the version in its path; required with `IMAGE_EMBEDDING_MODEL`'),
    IMAGE_EMBEDDING_API_KEY: z.string().optional().describe('key of that endpoint'),
  })
  .superRefine((config, context) => {
    if (config.IMAGE_EMBEDDING_MODEL === undefined) return;
    const issue = (name: string, message: string) =>
      context.addIssue({ code: 'custom', path: [name], message });
    if (config.IMAGE_EMBEDDING !== undefined)
      issue('IMAGE_EMBEDDING', 'set either this or IMAGE_EMBEDDING_MODEL, not both');
    if (config.IMAGE_EMBEDDING_DIMENSION === undefined)
      issue(
        'IMAGE_EMBEDDING_DIMENSION',
        'required with IMAGE_EMBEDDING_MODEL: the number of dimensions of its vectors',
      );
    if (config.IMAGE_EMBEDDING_BASE_URL === undefined)
      issue('IMAGE_EMBEDDING_BASE_URL', 'required with IMAGE_EMBEDDING_MODEL: the endpoint of the model');
  });
export type ImageEmbeddingConfig = z.output<typeof imageEmbeddingConfig>;
