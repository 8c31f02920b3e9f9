import { z } from 'zod';
import { REVIEWS } from '../../../domain/extractions/corrections.ts';
import { REVIEW_DOMAINS } from '../../../domain/extractions/domains.ts';
import { MAX_CORRECTIONS_SENT } from '../../../domain/limits.ts';
import { componentField, fileId, fileIdParam, updatedAt } from '../fields.ts';
import { corrections, path } from './schema.ts';

export const reviewParams = z.object({
  file_id: fileIdParam,
  domain_name: z.string().meta({
    override: { type: 'string', enum: [...REVIEW_DOMAINS] },
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
    item_reviews: given(z.enum(REVIEWS)).describe('Reviews by dot-path, such as `items.0`'),
    field_edits: given(z.unknown()).describe('Corrected values by dot-path, such as `items.0.label`'),
  })
  .refine(({ item_reviews, field_edits }) => Object.keys({ ...item_reviews, ...field_edits }).length > 0, {
    message: 'send at least one of item_reviews, field_edits, with at least one path',
  })
  .meta({ override: { minProperties: 1 } });

export const reviewAnswer = z
  .object({
    image_id: fileId,
    domain_name: z.enum(REVIEW_DOMAINS).describe('Name of the extraction'),
    corrections: componentField(corrections, 'All corrections by people; the original stays'),
    updated_at: updatedAt,
  })
  .meta({ id: 'ExtractionReview' });
