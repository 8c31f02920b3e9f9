import { z } from 'zod';
import {
  EXTRACTION_SOURCES,
  LOCAL_PROVIDER,
  type Citations,
} from '../../domain/structured-extraction/extraction.ts';
import { MAX_EXTRACTION_PROMPT_LENGTH } from '../../domain/structured-extraction/json-schema.ts';
import { optional, optionalWith, text } from '../../domain/schemas/text.ts';
import { flag, page } from '../../domain/schemas/query.ts';
import { optionalJsonSchema } from './extraction-schema.ts';
import {
  componentField,
  completedAt,
  count,
  createdAt,
  duration,
  failure,
  idParam,
  jsonObject,
  pageBox,
  pageOf,
} from './fields.ts';
import { analysisLevel, requestStatus } from './enums.ts';
import { webhookAnswerFields, webhookBodyFields } from './request-webhook.ts';
import type { SchemaExtraction } from '../../db/entities/structured-extraction/schema-extraction.ts';
import type { ListedExtraction } from '../../services/structured-extraction/list-extractions.ts';
import type { TokenUsage } from '../../domain/token-usage.ts';

const LONGEST_WAIT = 120;
const USUAL_WAIT = 60;
/** Longer than any URL that browsers accept. */
const MAX_URL_LENGTH = 2048;

export const extractionParams = z.object({ extraction_id: idParam('Id of an extraction') });

const given = (value: unknown) => value !== undefined && value !== null;

/** The rule that exactly one of the fields is given, and its issue. */
function exactlyOne(names: readonly string[], what: string) {
  return {
    check: (body: Readonly<Record<string, unknown>>) =>
      names.filter((name) => given(body[name])).length === 1,
    issue: {
      path: [names[0] ?? ''],
      message: `exactly one ${what} is required: ${names.join(', ')}`,
      // Reported together with other issues, which suppress rules over several fields by default.
      when: () => true,
    },
  };
}

const IMAGE = exactlyOne(['image_url', 'image_base64', 'file_id'], 'image source');
const SCHEMA = exactlyOne(['schema', 'custom_schema_id'], 'schema source');

const extractFields = {
  image_url: optional(
    z
      .url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' })
      .max(MAX_URL_LENGTH, `at most ${MAX_URL_LENGTH} characters`),
  ).describe('Public URL of a JPEG, PNG, WebP, GIF, AVIF, HEIC or TIFF, which is fetched once'),
  image_base64: optional(z.string()).describe(
    'A JPEG, PNG, WebP, GIF, AVIF, HEIC or TIFF of up to 10 MB, in base64 or as a data URL',
  ),
  file_id: optional(z.string()).meta({
    override: { type: ['string', 'null'], format: 'uuid' },
    description: 'UUID of an uploaded image or document',
  }),
  schema: optionalJsonSchema,
  custom_schema_id: optional(z.string()).meta({
    override: { type: ['string', 'null'], format: 'uuid' },
    description: 'UUID of a saved schema, which is used in its newest version',
  }),
  prompt: optional(text(MAX_EXTRACTION_PROMPT_LENGTH)).describe(
    'What to look for; by default the `prompt_hint` of the saved schema',
  ),
  analysis_level: optional(z.string()).meta({
    override: {
      anyOf: [{ $ref: `#/components/schemas/${analysisLevel.meta()?.id}` }, { type: 'null' }],
      default: 'default',
    },
    description:
      'How much the model may write, in tokens: `quick` 4K, `default` and `standard` 8K, `thorough` and `critical` 16K',
  }),
  citations: optionalWith(z.boolean(), false).describe('Whether to say where each value was read'),
  timeout: optionalWith(
    z.number().min(5, 'at least 5 seconds').max(LONGEST_WAIT, `at most ${LONGEST_WAIT} seconds`),
    USUAL_WAIT,
  ).describe('How many seconds to wait for the result, and for a model that does not answer'),
  ...webhookBodyFields,
};

export const extractBody = z
  .strictObject(extractFields)
  .refine(IMAGE.check, IMAGE.issue)
  .refine(SCHEMA.check, SCHEMA.issue)
  .meta({ override: { minProperties: 2 } });

export const extractQuery = z.object({
  citations: flag.optional().describe('The same as the field of the body'),
});

export const usage = z
  .object({
    input_tokens: count.describe('Tokens that the model read'),
    output_tokens: count.describe('Tokens that the model wrote'),
    thinking_tokens: count.nullable().describe('The part of the output that is thinking; null where unknown'),
  })
  .meta({ id: 'ExtractionUsage' });

const part = z.number().min(0).max(1);
const citations = z
  .record(
    z.string(),
    z
      .object({
        text: z.string().describe('The text that it was found in'),
        bounding_box: pageBox
          .nullable()
          .describe('Its place, 0–1 of its page; null if unknown; the origin is the top left corner'),
        page: z.int().min(1).describe('Number of the page, from 1; always 1 for an image'),
        confidence: part.describe('How well the text matches the value'),
      })
      .meta({ id: 'Citation' }),
  )
  .meta({ id: 'Citations' })
  .nullable()
  .describe('Where each value was read, by JSON pointer into `extracted_data`; null unless asked for');
const data = componentField(
  jsonObject,
  'An object that matches the schema, without properties that it does not name, unless its `additionalProperties` is true. ' +
    'Without a vision model, what was not found is null if the object would not match otherwise, or be empty',
);

const result = {
  note: z.string().nullable().describe('Why values are null that the schema asks for; null if none are'),
  processing_time_ms: duration.describe('Duration in milliseconds'),
  provider: z.string().describe('Provider of the model; `local` for built-in rules'),
  model: z.string().describe('Model that extracted it'),
};

export const extractAnswer = z
  .object({
    extraction_id: z.uuid().describe('Id of the extraction'),
    extracted_data: data,
    ...result,
    usage: componentField(usage, 'Tokens of all calls of the model'),
    citations,
    ...webhookAnswerFields,
  })
  .meta({ id: 'ExtractAnswer' });

export const startedExtraction = z
  .object({
    extraction_id: z.uuid().describe('Id of the extraction'),
    status: z.literal('processing').describe('State of the extraction'),
    poll_url: z.string().describe('Where to poll for the result'),
    ...webhookAnswerFields,
  })
  .meta({ id: 'StartedExtraction' });

export const extractionAnswer = z
  .object({
    extraction_id: z.uuid().describe('Id of the extraction'),
    status: componentField(requestStatus, 'State of the extraction'),
    source: z
      .enum(EXTRACTION_SOURCES)
      .meta({ id: 'ExtractionSource' })
      .describe('Source of the content; `upload`: asked for when the file was uploaded'),
    file_id: z.uuid().nullable().describe('Id of the file; null if the request brought the image'),
    schema_id: z.uuid().nullable().describe('The saved schema; null for one of the request'),
    schema_version: z.int().min(1).nullable().describe('Version of the saved schema; null without one'),
    schema: componentField(jsonObject, 'The JSON Schema that it follows, as it was then'),
    analysis_level: analysisLevel.describe(
      'How thorough it is: how much the model may write, and what it costs',
    ),
    extracted_data: data.nullable().describe('Object that matches the schema; null without a result'),
    processing_time_ms: result.processing_time_ms
      .nullable()
      .describe('Duration in milliseconds; null until it has ended'),
    provider: result.provider
      .nullable()
      .describe('Provider of the model, `local` for built-in rules; null without a result'),
    model: z.string().nullable().describe('Model that extracted it; null without a result'),
    usage: usage.nullable().describe('Tokens of all calls of the model; null without a result'),
    note: result.note,
    citations,
    error: failure.nullable().describe('Why there is no result; null if there is one, or none yet'),
    created_at: createdAt,
    completed_at: completedAt,
  })
  .meta({ id: 'StructuredExtraction' });

export const extractionListQuery = z.object({
  file_id: z.guid().toLowerCase().optional().describe('Only extractions from this file'),
  status: requestStatus.optional().describe('Only extractions in this state'),
  ...page(100, 20),
});

const listed = extractionAnswer
  .pick({
    extraction_id: true,
    status: true,
    source: true,
    file_id: true,
    schema_id: true,
    schema_version: true,
    analysis_level: true,
    model: true,
    error: true,
    created_at: true,
    completed_at: true,
  })
  .meta({ id: 'ListedExtraction' });

export const extractionList = z.object(pageOf(listed)).meta({ id: 'ExtractionList' });

export function presentListedExtraction(extraction: ListedExtraction): z.input<typeof listed> {
  const { error } = extraction;
  return {
    extraction_id: extraction.id,
    status: extraction.status,
    source: extraction.source,
    file_id: extraction.fileId ?? null,
    schema_id: extraction.schemaId ?? null,
    schema_version: extraction.schemaVersion ?? null,
    analysis_level: extraction.level,
    model: extraction.model ?? null,
    error: error ? { code: error.code, message: error.message } : null,
    created_at: extraction.createdAt.toISOString(),
    completed_at: extraction.completedAt?.toISOString() ?? null,
  };
}

function extractionPath(id: string): string {
  return `/api/v2/extractions/${id}`;
}

/** The answer to a request for an extraction: its result, or where to poll for it. */
export function presentExtracted(
  extraction: SchemaExtraction,
): z.input<typeof extractAnswer> | z.input<typeof startedExtraction> {
  const { id, status } = extraction;
  if (status !== 'completed')
    return { extraction_id: id, status: 'processing', poll_url: extractionPath(id) };
  // A completed extraction has all fields of a result.
  return { extraction_id: id, ...presentResult(extraction) } as z.input<typeof extractAnswer>;
}

/** An extraction in its current state. */
export function presentExtraction(extraction: SchemaExtraction): z.input<typeof extractionAnswer> {
  return {
    ...presentListedExtraction(extraction),
    schema: extraction.schema,
    ...presentResult(extraction),
  };
}

const NO_LABEL =
  'Without a vision model, values are read from labels; null stands for what no label names, or labels contradict.';

function presentResult({ data, processingMs, provider, model, usage, citations }: SchemaExtraction) {
  return {
    extracted_data: data ?? null,
    note: provider === LOCAL_PROVIDER && data && Object.values(data).includes(null) ? NO_LABEL : null,
    processing_time_ms: processingMs ?? null,
    provider: provider ?? null,
    model: model ?? null,
    usage: usage ? presentUsage(usage) : null,
    citations: citations ? presentCitations(citations) : null,
  };
}

export function presentUsage({
  inputTokens,
  outputTokens,
  thinkingTokens,
}: TokenUsage): z.input<typeof usage> {
  return { input_tokens: inputTokens, output_tokens: outputTokens, thinking_tokens: thinkingTokens };
}

function presentCitations(citations: Citations) {
  return Object.fromEntries(
    Object.entries(citations).map(([pointer, { text, boundingBox, page, confidence }]) => [
      pointer,
      { text, bounding_box: boundingBox, page, confidence },
    ]),
  );
}
