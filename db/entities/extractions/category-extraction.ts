import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { Corrections } from '../../../domain/extractions/corrections.ts';
import {
  type ExtractionDomain,
  EXTRACTION_STATUSES,
  type ExtractionResult,
} from '../../../domain/extractions/domains.ts';
import { StoredFile } from '../files/stored-file.ts';

/**
 * The extraction from an image for one category, and the corrections by people. Extracting again replaces the former
 * and keeps the latter.
 */
export const CategoryExtraction = defineEntity({
  name: 'CategoryExtraction',
  tableName: 'category_extractions',
  properties: {
    fileId: p.manyToOne(StoredFile).mapToPk().primary().fieldName('file_id').deleteRule('cascade'),
    category: p.string().$type<ExtractionDomain>().primary(),
    /** The file's generation at extraction: an answer of the same generation is not requested again. */
    generation: p.integer(),
    status: p.enum(EXTRACTION_STATUSES),
    reason: p.text().nullable(),
    /** Null for `text_regions`: the text itself is in `image_details`. */
    result: p.json<ExtractionResult>().nullable(),
    provider: p.string(),
    model: p.string(),
    promptVersion: p.string(),
    extractedAt: p.datetime(),
    corrections: p.json<Corrections>().nullable(),
    correctedAt: p.datetime().nullable(),
  },
});
export type CategoryExtraction = InferEntity<typeof CategoryExtraction>;
