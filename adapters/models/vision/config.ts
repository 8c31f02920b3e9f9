import { z } from 'zod';

const endpoint = z
  .url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' })
  .refine((url) => !/^https?:\/\/[^/?#]*@/i.test(url), 'must not hold a password, use OPENAI_API_KEY');

/** Settings of the vision model. With neither URL nor key, pictures are described from measurements. */
export const visionConfig = z.object({
  OPENAI_BASE_URL: endpoint
    .optional()
    .describe('any OpenAI-compatible endpoint, with the version in its path'),
  OPENAI_API_KEY: z.string().optional(),
  VISION_MODEL: z.string().default('gpt-4o-mini'),
  /** Below the activity's timeout of two minutes, so that the cause of a timeout is known. */
  VISION_TIMEOUT_SECONDS: z.coerce.number().min(1).max(110).default(60),
  VISION_RATE_PER_SECOND: z.coerce
    .number()
    .positive()
    .optional()
    .describe('model calls a second, over all workers'),
});
export type VisionConfig = z.output<typeof visionConfig>;
