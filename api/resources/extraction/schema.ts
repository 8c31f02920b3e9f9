import { z } from 'zod';
import { REVIEWS } from '../../../domain/extractions/corrections.ts';
import { EXTRACTION_DOMAINS, type ExtractionDomain } from '../../../domain/extractions/domains.ts';
import { EXTRACTION_STATUSES } from '../../../domain/extractions/extraction.ts';
import { MAX_DOT_PATH_LENGTH } from '../../../domain/limits.ts';
import { RESULT_SCHEMAS } from '../../../domain/schemas/extractions/index.ts';
import { componentField, fileId, model, promptVersion, provider, timestamp } from '../fields.ts';

/** A dot-path. */
export const path = z.string().min(1).max(MAX_DOT_PATH_LENGTH);

export const corrections = z
  .object({
    item_reviews: z.record(path, z.enum(REVIEWS)).describe('Reviews by dot-path'),
    field_edits: z.record(path, z.unknown()).describe('Corrected values by dot-path'),
  })
  .meta({ id: 'Corrections' });

/** An extraction, with the result of its domain. */
const extractionOf = (domain: ExtractionDomain) => {
  const result = RESULT_SCHEMAS[domain].meta({ id: `${camelCase(domain)}Result` });
  return z
    .object({
      domain_name: z.literal(domain).describe('Name of the extraction'),
      status: z
        .enum(EXTRACTION_STATUSES)
        .describe(
          '`completed`: all of it was looked for; `partial`: only some; `not_assessed`: nothing could be looked for',
        ),
      reason: z.string().nullable().describe('Why it is not completed; null if it is'),
      result: componentField(result, 'The original, as it was extracted'),
      corrected_result: result
        .nullable()
        .describe('The same with the corrections of people; null if there are none'),
      corrections: componentField(corrections, 'Corrections by people; the original stays'),
      superseded_corrections: corrections
        .nullable()
        .describe('Corrections of values that a later extraction has replaced; null if there are none'),
      provider,
      model,
      prompt_version: promptVersion,
      extracted_at: timestamp.describe('When it was extracted'),
      corrected_at: timestamp.nullable().describe('When a person last corrected it; null if nobody has'),
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
      .describe(
        'What was extracted, by domain; empty where the category asks for nothing and there is no text',
      ),
  })
  .meta({ id: 'Extractions' });

function camelCase(name: string): string {
  return name.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}
