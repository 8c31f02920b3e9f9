import type { z } from 'zod';
import type { GivenCorrections } from '../../../domain/extractions/corrections.ts';
import type { ExtractionView } from '../../../services/images/find-extractions.ts';
import type { corrections } from './schema.ts';

/** One extraction, with what people have corrected. */
export function presentExtraction(view: ExtractionView) {
  const { current, superseded } = view;
  return {
    domain_name: view.category,
    status: view.status,
    reason: view.reason,
    result: view.result,
    corrected_result: Object.keys(current.fieldEdits).length > 0 ? view.corrected : null,
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
