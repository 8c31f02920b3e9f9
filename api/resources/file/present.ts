import { textOf } from '../../http/streamed.ts';
import type { ObjectStore } from '../../../adapters/object-store/object-store.ts';
import type { FileDescription } from '../../../db/entities/files/file-description.ts';
import type { FileVariant } from '../../../db/entities/files/file-variant.ts';
import type { ImageDetails } from '../../../db/entities/files/image-details.ts';
import type { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { VARIANT_URL_SECONDS } from '../../../domain/limits.ts';
import type { TextRegion } from '../../../domain/text-region.ts';
import type { VariantType } from '../../../domain/variants.ts';
import { documentTypeOf } from '../../../services/documents/document-target.ts';
import type { DocumentCounts } from '../../../services/documents/read-document.ts';
import type { ImageItem } from '../../../services/files/read-image-items.ts';
import type { FileDetail } from '../../../services/documents/read-file-detail.ts';
import { presentExtraction } from '../extraction/present.ts';
import { presentExtraction as presentSchemaExtraction } from '../structured-extraction/present.ts';
import { presentErrorFields, presentStatusFields } from '../component-fields.ts';

export type Presigner = Pick<ObjectStore, 'presignGet'>;

/** A file as a list item. */
export async function presentFileItem(
  objects: Presigner,
  file: StoredFile,
  projectId: string | null,
  { details, variants }: ImageItem = { variants: [] },
  counts?: DocumentCounts,
) {
  return {
    id: file.id,
    title: file.title ?? file.filename,
    filename: file.filename,
    ...(await variantUrls(objects, variants)),
    user_description: file.userDescription,
    upload_description: file.uploadDescription,
    visible_text: file.visibleText,
    tags: file.tags,
    size_bytes: file.sizeBytes,
    created_at: file.createdAt.toISOString(),
    content_created_at: file.contentCreatedAt?.toISOString() ?? null,
    has_full_description: file.uploadDescription !== null,
    dimensions: dimensions(details),
    format: file.format,
    primary_status: file.primaryStatus,
    ...presentStatusFields(file.mediaType, file.components),
    description_error: file.components.description?.error?.message ?? null,
    variant_count: variants.length,
    blur_hash: details?.blurHash ?? null,
    content_type: file.contentType,
    media_type: file.mediaType,
    content_category: file.contentCategory,
    folder_id: file.folderId ?? null,
    project_id: projectId,
    document_type: documentTypeOf(file) ?? null,
    ...(file.mediaType === 'document' && {
      page_count: counts?.pageCount ?? null,
      chunk_count: counts?.chunkCount ?? null,
      document_url: await originalUrl(objects, file, VARIANT_URL_SECONDS),
    }),
    source_url: null,
  };
}

/** One image in full detail. */
export async function presentImage(
  objects: Presigner,
  {
    file,
    progress,
    projectId,
    explanation,
    details,
    variants,
    descriptions,
    extractions,
    schemaExtraction,
  }: FileDetail,
) {
  return {
    id: file.id,
    media_type: 'image' as const,
    title: file.title ?? file.filename,
    filename: file.filename,
    tags: file.tags,
    size_bytes: file.sizeBytes,
    content_type: file.contentType,
    dimensions: dimensions(details),
    format: file.format,
    ...(await variantUrls(objects, variants)),
    original_url: progress.upload ? null : await originalUrl(objects, file, VARIANT_URL_SECONDS),
    primary_status: progress.primaryStatus,
    ...presentStatusFields(file.mediaType, progress.components),
    ...presentErrorFields(file.mediaType, progress.components),
    explanation,
    variant_count: variants.length,
    user_description: file.userDescription,
    upload_description: file.uploadDescription,
    visible_text: file.visibleText,
    text_regions: (details?.textRegions ?? []).map(presentRegion),
    description_generated_at: file.describedAt?.toISOString() ?? null,
    full_descriptions: descriptions.map(presentDescription),
    extractions: extractions.map(presentExtraction),
    schema_extraction: schemaExtraction && presentSchemaExtraction(schemaExtraction),
    compliance_status: file.complianceStatus,
    created_at: file.createdAt.toISOString(),
    updated_at: file.updatedAt.toISOString(),
    content_created_at: file.contentCreatedAt?.toISOString() ?? null,
    blur_hash: details?.blurHash ?? null,
    content_category: file.contentCategory,
    folder_id: file.folderId ?? null,
    project_id: projectId,
  };
}

/** One document in full detail. */
export async function presentDocumentDetail(
  objects: Presigner,
  { file, progress, projectId, explanation, document, descriptions, schemaExtraction }: FileDetail,
) {
  const details = document?.details;
  return {
    id: file.id,
    media_type: 'document' as const,
    schema_extraction: schemaExtraction && presentSchemaExtraction(schemaExtraction),
    title: file.title ?? file.filename,
    filename: file.filename,
    tags: file.tags,
    size_bytes: file.sizeBytes,
    content_type: file.contentType,
    format: file.format,
    document_type: documentTypeOf(file) ?? 'txt',
    document_url: progress.upload ? null : await originalUrl(objects, file, VARIANT_URL_SECONDS),
    page_count: details?.pageCount ?? null,
    chunk_count: details ? document.chunkCount : null,
    language: details?.language ?? null,
    extracted_text: details ? await textOf(document.text) : null,
    primary_status: progress.primaryStatus,
    ...presentStatusFields(file.mediaType, progress.components),
    ...presentErrorFields(file.mediaType, progress.components),
    explanation,
    user_description: file.userDescription,
    upload_description: file.uploadDescription,
    description_generated_at: file.describedAt?.toISOString() ?? null,
    full_descriptions: descriptions.map(presentDescription),
    created_at: file.createdAt.toISOString(),
    updated_at: file.updatedAt.toISOString(),
    content_created_at: file.contentCreatedAt?.toISOString() ?? null,
    content_category: file.contentCategory,
    folder_id: file.folderId ?? null,
    project_id: projectId,
  };
}

function presentDescription(entry: FileDescription) {
  return {
    provider: entry.provider,
    model: entry.model,
    prompt_version: entry.promptVersion,
    description: entry.description,
    tags: entry.tags,
    created_at: entry.createdAt.toISOString(),
  };
}

function presentRegion({ text, box }: TextRegion) {
  const { xMin, yMin, xMax, yMax } = box;
  return { text, bounding_box: { x_min: xMin, y_min: yMin, x_max: xMax, y_max: yMax } };
}

/** Originals are only served as attachments, because their bytes are untrusted. */
export function originalUrl(objects: Presigner, file: StoredFile, expiresInSeconds: number): Promise<string> {
  return objects.presignGet(file.objectKey, {
    expiresInSeconds,
    filename: file.filename,
    disposition: 'attachment',
    contentType: file.contentType,
  });
}

export function variantUrl(objects: Presigner, variant: FileVariant): Promise<string> {
  return objects.presignGet(variant.objectKey, {
    expiresInSeconds: VARIANT_URL_SECONDS,
    disposition: 'inline',
    contentType: variant.contentType,
  });
}

/** URLs of the image sizes for display. */
export async function variantUrls(objects: Presigner, variants: FileVariant[]) {
  const of = async (type: VariantType) => {
    const variant = variants.find((candidate) => candidate.type === type);
    return variant ? variantUrl(objects, variant) : null;
  };
  const [thumbnail_url, medium_url, full_url] = await Promise.all([
    of('small_256'),
    of('medium_750'),
    of('large_1024'),
  ]);
  return { thumbnail_url, medium_url, full_url };
}

function dimensions(details: Pick<ImageDetails, 'width' | 'height'> | null | undefined) {
  return details ? { width: details.width, height: details.height } : null;
}
