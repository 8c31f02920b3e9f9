import { z } from 'zod';
import { WebFetchError } from '../../adapters/web-fetch/web-fetch-error.ts';
import { parseWebUrl } from '../../adapters/web-fetch/web-url.ts';
import { IMAGE_FORMATS, type ImageFormat } from '../../domain/media.ts';
import { MAX_IMAGE_URL_LENGTH } from '../../domain/image-import.ts';
import { optional, optionalWith } from '../../domain/schemas/text.ts';
import { flag } from '../../domain/schemas/query.ts';
import {
  contentType,
  count,
  fileId,
  mediaType,
  processingTime,
  sizeBytes,
  tags,
  visibleText,
} from './fields.ts';
import { webhookAnswerFields, webhookBodyFields, webhookFormFields } from './request-webhook.ts';
import { jobFields, MOST_TIMEOUT, LEAST_TIMEOUT, timeoutField } from './job/schema.ts';
import type { AnalyzedImage, ImageAnalysis } from '../../services/images/wait-for-analysis.ts';
import { jobPath } from './job/present.ts';
import { requestedCategory } from './enums.ts';

const USUAL_TIMEOUT = 30;

const CATEGORY = {
  description: 'What the image shows; with `auto`, the service classifies it before it is described',
};
const SKIP_DUPLICATES = 'Return the existing image if there is one with the same content';
const TIMEOUT = 'Seconds to wait for the result';
/** "Input is one of: multipart `file`; JSON `url`; JSON `base64`" */
const elsewhere = z.never('is a field of the JSON body; a form has the file').optional();

/** The text fields of an analysis; all other attributes of an upload keep their defaults. */
export const imageForm = z.object({
  content_category: requestedCategory.default('general').meta(CATEGORY),
  skip_duplicates: flag.default(false).meta({
    override: { type: 'boolean', default: false },
    description: SKIP_DUPLICATES,
  }),
  timeout: timeoutField(USUAL_TIMEOUT),
  url: elsewhere,
  base64: elsewhere,
  ...webhookFormFields,
});

export const imageFormDocument = z
  .object({
    file: z.string().meta({
      override: {
        type: 'string',
        format: 'binary',
        description: 'JPEG, PNG, WebP, GIF, AVIF, HEIC or TIFF, up to 100 MB',
      },
    }),
  })
  .extend(imageForm.omit({ url: true, base64: true }).shape)
  .strict();

/** A URL that is syntactically allowed to be fetched. */
const webUrl = z
  .string()
  .max(MAX_IMAGE_URL_LENGTH)
  .superRefine((text, context) => {
    try {
      parseWebUrl(text);
    } catch (error) {
      if (!(error instanceof WebFetchError)) throw error;
      context.addIssue({ code: 'custom', message: error.message });
    }
  })
  .meta({ override: { type: 'string', format: 'uri', maxLength: MAX_IMAGE_URL_LENGTH } });

/** An analysis as JSON, with the image by its URL or as text. */
export const imageBody = z
  .strictObject({
    url: optional(webUrl).describe(
      'http or https, to a public address and without credentials; up to 100 MB are fetched',
    ),
    base64: optional(z.string()).describe('The bytes of an image of up to 10 MB; a data URL will do'),
    content_category: optionalWith(requestedCategory, 'general').meta(CATEGORY),
    skip_duplicates: optionalWith(z.boolean(), false).describe(SKIP_DUPLICATES),
    timeout: optionalWith(z.int().min(LEAST_TIMEOUT).max(MOST_TIMEOUT), USUAL_TIMEOUT).describe(TIMEOUT),
    ...webhookBodyFields,
  })
  .refine(({ url, base64 }) => (url === undefined) !== (base64 === undefined), {
    path: ['url'],
    message: 'exactly one of url and base64 is required; a file is sent as multipart/form-data',
    when: () => true,
  })
  .meta({
    id: 'ImageAnalysisRequest',
    override: { examples: [{ url: 'https://example.com/harbour.jpg', content_category: 'auto' }] },
  });

const common = { image_id: fileId, processing_time_ms: processingTime, ...webhookAnswerFields };

export const imageAnalysis = z
  .discriminatedUnion('status', [
    z
      .object({
        ...common,
        status: z.literal('completed').describe('Status of the analysis'),
        description: z
          .string()
          .nullable()
          .describe("The user's own description, otherwise the model's; null without one"),
        visible_text: visibleText,
        tags,
        metadata: z
          .object({
            width: count.describe('Width in pixels'),
            height: count.describe('Height in pixels'),
            format: z.enum(IMAGE_FORMATS).describe('Format of the image'),
            size_bytes: sizeBytes,
            content_type: contentType,
            media_type: mediaType,
          })
          .describe('Facts about the image'),
        confidence_score: z
          .number()
          .min(0)
          .max(1)
          .nullable()
          .describe("The model's confidence in its description; null without one"),
      })
      .meta({ id: 'AnalyzedImage' }),
    z
      .object({ ...common, status: z.literal('processing').describe('Status of the analysis'), ...jobFields })
      .meta({ id: 'ImageInProgress', description: 'The timeout was exceeded; poll the job' }),
    z
      .object({
        ...common,
        status: z.literal('failed').describe('Status of the analysis'),
        ...jobFields,
        error: z.string().describe('Why the analysis failed'),
      })
      .meta({ id: 'FailedImage', description: 'An image that could not be fetched has no file' }),
    z
      .object({ ...common, status: z.literal('skipped').describe('Status of the analysis') })
      .meta({ id: 'SkippedImage', description: 'There is an image with the same content' }),
  ])
  .meta({ id: 'ImageAnalysis' });

/** The result of one request to analyze an image. */
export function presentImageAnalysis({
  analysis,
  jobId,
  elapsedMs,
  webhook,
}: {
  analysis: ImageAnalysis;
  jobId: string;
  elapsedMs: number;
  webhook: { webhook_secret?: string };
}): z.input<typeof imageAnalysis> {
  const { imageId: image_id, status } = analysis;
  const common = { image_id, processing_time_ms: Math.round(elapsedMs), ...webhook };
  if (status === 'skipped') return { ...common, status };
  if (status === 'completed') return { ...common, status, ...presentImage(analysis.image) };
  const job = { ...common, job_id: jobId, poll_url: jobPath(jobId) };
  return status === 'failed' ? { ...job, status, error: analysis.error } : { ...job, status };
}

function presentImage({ file, details, confidence }: AnalyzedImage) {
  const { width, height } = details;
  return {
    description: file.userDescription ?? file.uploadDescription ?? null,
    visible_text: file.visibleText ?? null,
    tags: file.tags,
    metadata: {
      width,
      height,
      format: file.format as ImageFormat,
      size_bytes: file.sizeBytes,
      content_type: file.contentType,
      media_type: file.mediaType,
    },
    confidence_score: confidence,
  };
}
