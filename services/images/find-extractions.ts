import type { EntityManager } from '@mikro-orm/postgresql';
import { CategoryExtraction } from '../../db/entities/extractions/category-extraction.ts';
import { ImageDetails } from '../../db/entities/files/image-details.ts';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { AppError } from '../../domain/app-error.ts';
import { layer, type Layered } from '../../domain/extractions/corrections.ts';
import type { ExtractionDomain, ExtractionOutcome } from '../../domain/extractions/domains.ts';
import type { TextRegion } from '../../domain/image-analysis.ts';

/** An extraction of an image with its corrections laid over it. */
export interface ExtractionView extends ExtractionOutcome, Layered {
  category: ExtractionDomain;
  provider: string;
  model: string;
  promptVersion: string;
  extractedAt: Date;
  correctedAt: Date | null;
}

/** The recogniser of text, and the shape of its result. */
const TEXT_REGIONS = {
  category: 'text_regions',
  provider: 'local',
  model: 'tesseract',
  promptVersion: 'text-regions-v1',
  status: 'completed',
  reason: null,
} as const;

/**
 * The extractions of an image, by name. The recognised text is one of them, and is not stored twice.
 *
 * @throws AppError WRONG_MEDIA_TYPE for other media
 */
export async function findExtractions(
  em: EntityManager,
  file: StoredFile,
  given?: ImageDetails | null,
): Promise<ExtractionView[]> {
  rejectOtherMedia(file);
  const details = given === undefined ? await em.findOne(ImageDetails, { fileId: file.id }) : given;
  const rows = await em.find(CategoryExtraction, { fileId: file.id });
  return withText(file, details, rows)
    .map(({ corrections, ...extraction }) => ({ ...extraction, ...layer(extraction.result, corrections) }))
    .toSorted((a, b) => (a.category < b.category ? -1 : 1));
}

/** @throws AppError WRONG_MEDIA_TYPE */
export function rejectOtherMedia({ mediaType }: Pick<StoredFile, 'mediaType'>): void {
  if (mediaType !== 'image') throw new AppError('WRONG_MEDIA_TYPE', `${mediaType} files have no extractions`);
}

/** An extraction without its corrections laid over it. */
type Extraction = Omit<ExtractionView, keyof Layered> & Pick<CategoryExtraction, 'corrections'>;

function withText(
  file: StoredFile,
  details: ImageDetails | null,
  rows: readonly CategoryExtraction[],
): Extraction[] {
  const stored = rows.flatMap(({ result, category, correctedAt, reason, ...row }) =>
    result ? [{ ...row, category, result, reason: reason ?? null, correctedAt: correctedAt ?? null }] : [],
  );
  const regions = details?.textRegions ?? [];
  if (regions.length === 0) return stored;
  const corrected = rows.find(({ category }) => category === 'text_regions');
  const text: Extraction = {
    ...TEXT_REGIONS,
    result: { items: regions.map(toItem) },
    extractedAt: file.describedAt ?? file.updatedAt,
    corrections: corrected?.corrections ?? null,
    correctedAt: corrected?.correctedAt ?? null,
  };
  return [...stored, text];
}

function toItem({ text, box }: TextRegion) {
  const { xMin, yMin, xMax, yMax } = box;
  return { text, bounding_box: { x_min: xMin, y_min: yMin, x_max: xMax, y_max: yMax }, confidence: null };
}
