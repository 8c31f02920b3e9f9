import type { EntityManager } from '@mikro-orm/postgresql';
import { FileVariant } from '../../db/entities/files/file-variant.ts';
import { ImageDetails } from '../../db/entities/files/image-details.ts';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import type { VariantType } from '../../domain/image-analysis.ts';
import { plainRow } from '../shared/plain-row.ts';
import { findExtractions, type ExtractionView } from './find-extractions.ts';

/** The image-specific part of a file. */
export interface ImageView {
  /** Null until it has been decoded. */
  details: ImageDetails | null;
  variants: FileVariant[];
  extractions: ExtractionView[];
}

export async function readImage(em: EntityManager, file: StoredFile): Promise<ImageView> {
  const details = await em.findOne(ImageDetails, { fileId: file.id });
  const variants = await findVariants(em, [file]);
  return { details, variants, extractions: await findExtractions(em, file, details) };
}

/** The variants of files, of all types or of one, unordered. */
export function findVariants(
  em: EntityManager,
  files: readonly Pick<StoredFile, 'id'>[],
  type?: VariantType,
): Promise<FileVariant[]> {
  return em.find(FileVariant, { fileId: { $in: files.map(({ id }) => id) }, ...(type && { type }) });
}

/** The fields of an image in lists; size and blur hash are absent until it is decoded. */
export interface ImageItem {
  details?: Pick<ImageDetails, 'width' | 'height' | 'blurHash'>;
  variants: FileVariant[];
}

/** Variants and details of a page of files, by file id, in one statement. */
export async function readImageItems(
  em: EntityManager,
  fileIds: readonly string[],
): Promise<Map<string, ImageItem>> {
  if (fileIds.length === 0) return new Map();
  const rows = await em.execute<Row[]>(
    `select variant.file_id, details.width, details.height, details.blur_hash,
       jsonb_agg(to_jsonb(variant)) as variants
     from file_variants variant left join image_details details on details.file_id = variant.file_id
     where variant.file_id in (${fileIds.map(() => '?').join(', ')})
     group by variant.file_id, details.file_id`,
    [...fileIds],
  );
  return new Map(rows.map((row) => [row.file_id, toItem(em, row)]));
}

interface Row {
  file_id: string;
  width: number | null;
  height: number | null;
  blur_hash: string | null;
  variants: Record<string, unknown>[];
}

function toItem(em: EntityManager, { width, height, blur_hash: blurHash, variants }: Row): ImageItem {
  const decoded = width !== null && height !== null && blurHash !== null;
  return {
    variants: variants.map((variant) => plainRow(em, FileVariant, variant)),
    ...(decoded && { details: { width, height, blurHash } }),
  };
}
