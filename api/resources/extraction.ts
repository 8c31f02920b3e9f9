import { z } from 'zod';
import { type GivenCorrections } from '../../domain/extractions/corrections.ts';
import { EXTRACTION_DOMAINS, type ExtractionDomain } from '../../domain/extractions/domains.ts';
import { MAX_DOT_PATH_LENGTH, MAX_CORRECTIONS_SENT } from '../../domain/limits.ts';
import { RESULT_SCHEMAS } from '../../domain/schemas/extractions/index.ts';
import {
  componentField,
  fileId,
  jsonObject,
  model,
  promptVersion,
  provider,
  timestamp,
  fileIdParam,
  updatedAt,
} from './fields.ts';
import type { ExtractionView } from '../../services/images/find-extractions.ts';
import { extractionCompleteness, itemReview, reviewDomain } from './enums.ts';

/** A dot-path. */
const path = z.string().min(1).max(MAX_DOT_PATH_LENGTH);

const corrections = z
  .object({
    item_reviews: z.record(path, itemReview).describe('Reviews by dot-path'),
    field_edits: componentField(jsonObject, 'Corrected values by dot-path'),
  })
  .meta({ id: 'Corrections' });

/** An extraction, with the result of its domain. */
const extractionOf = (domain: ExtractionDomain) => {
  const schema = RESULT_SCHEMAS[domain];
  // Some domains share a result schema.
  const result = schema.meta()?.id ? schema : schema.meta({ id: `${camelCase(domain)}Result` });
  return z
    .object({
      domain_name: z.literal(domain).describe('Name of the extraction'),
      status: extractionCompleteness.describe(
        '`completed`: all of it was looked for; `partial`: only some; `not_assessed`: nothing could be looked for',
      ),
      reason: z.string().nullable().describe('Why it is not completed; null if it is'),
      result: componentField(result, 'The original, as it was extracted'),
      corrected_result: result
        .nullable()
        .describe('The result with the corrections of users; null without corrections'),
      corrections: componentField(corrections, 'Corrections by users; the original is kept'),
      superseded_corrections: corrections
        .nullable()
        .describe('Corrections of values that a later extraction has replaced; null if there are none'),
      provider,
      model,
      prompt_version: promptVersion,
      extracted_at: timestamp.describe('When it was extracted'),
      corrected_at: timestamp.nullable().describe('When a user last corrected it; null without corrections'),
    })
    .meta({ id: `${camelCase(domain)}Extraction` });
};

const [first, ...others] = EXTRACTION_DOMAINS.map(extractionOf);
if (!first) throw new Error('there are no extractions');

export const extraction = z.discriminatedUnion('domain_name', [first, ...others]).meta({ id: 'Extraction' });

export const extractionsAnswer = z
  .object({
    image_id: fileId,
    extractions: z
      .array(extraction)
      .describe('Extractions by domain; empty if the category has none and there is no text'),
  })
  .meta({ id: 'Extractions' });

function camelCase(name: string): string {
  return name.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

export const reviewParams = z.object({
  file_id: fileIdParam,
  domain_name: z.string().meta({
    override: { $ref: `#/components/schemas/${reviewDomain.meta()?.id}` },
    description: 'Name of the extraction',
  }),
});

/** The longest paths, each with a short value. */
export const REVIEW_BYTES = 256 * 1024;

const given = <S extends z.ZodType>(value: S) =>
  z
    .record(path, value)
    .refine((map) => Object.keys(map).length <= MAX_CORRECTIONS_SENT, {
      message: `at most ${MAX_CORRECTIONS_SENT} at once`,
    })
    .meta({ override: { maxProperties: MAX_CORRECTIONS_SENT } })
    .nullish();

export const reviewBody = z
  .strictObject({
    item_reviews: given(itemReview).describe('Reviews by dot-path, such as `items.0`'),
    field_edits: given(z.unknown()).describe('Corrected values by dot-path, such as `items.0.label`'),
  })
  .refine(({ item_reviews, field_edits }) => Object.keys({ ...item_reviews, ...field_edits }).length > 0, {
    message: 'send at least one of item_reviews, field_edits, with at least one path',
  })
  .meta({ override: { minProperties: 1 } });

export const reviewAnswer = z
  .object({
    image_id: fileId,
    domain_name: reviewDomain.describe('Name of the extraction'),
    corrections: componentField(corrections, 'All corrections by users; the original is kept'),
    updated_at: updatedAt,
  })
  .meta({ id: 'ExtractionReview' });

/** One extraction with manual corrections applied. */
export function presentExtraction(view: ExtractionView) {
  const { current, superseded } = view;
  return {
    domain_name: view.category,
    status: view.status,
    reason: view.reason,
    result: view.result,
    corrected_result:
      Object.keys(current.fieldEdits).length > 0 ? (view.corrected as Record<string, unknown>) : null,
    corrections: presentCorrections(current),
    superseded_corrections: isEmpty(superseded) ? null : presentCorrections(superseded),
    provider: view.provider,
    model: view.model,
    prompt_version: view.promptVersion,
    extracted_at: view.extractedAt.toISOString(),
    corrected_at: view.correctedAt?.toISOString() ?? null,
  };
}

export function presentCorrections({
  itemReviews,
  fieldEdits,
}: GivenCorrections): z.input<typeof corrections> {
  return { item_reviews: itemReviews, field_edits: fieldEdits };
}

function isEmpty({ itemReviews, fieldEdits }: GivenCorrections): boolean {
  return Object.keys(itemReviews).length + Object.keys(fieldEdits).length === 0;
}
