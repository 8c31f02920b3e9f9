import type { z } from 'zod';
import type { ObjectStore } from '../../../adapters/object-store/object-store.ts';
import type { FileDescription } from '../../../db/entities/files/file-description.ts';
import type { FileVariant } from '../../../db/entities/files/file-variant.ts';
import type { StoredFile } from '../../../db/entities/files/stored-file.ts';
import type { DocumentType } from 'darkroom-reader/document';
import type { ComponentStatus } from '../../../domain/components.ts';
import { failureKind } from '../../../domain/failure-kind.ts';
import { VARIANT_URL_SECONDS } from '../../../domain/limits.ts';
import type { VariantType } from '../../../domain/image-analysis.ts';
import type { VideoCodec } from '../../../domain/videos/video.ts';
import type { FileDetail } from '../../../services/processing/read-file-detail.ts';
import type { listedPageFacts } from '../page-facts.ts';
import { presentErrorFields, presentStatusFields } from '../component-fields.ts';
import { presentExtraction as presentSchemaExtraction } from '../structured-extraction.ts';

export type Presigner = Pick<ObjectStore, 'presignGet'>;

/** The fields of a list item that depend on the medium of the file. */
export interface OwnItemFields extends z.input<typeof listedPageFacts> {
  thumbnail_url: string | null;
  medium_url: string | null;
  full_url: string | null;
  dimensions: { width: number; height: number } | null;
  variant_count: number;
  blur_hash: string | null;
  document_type: DocumentType | null;
  page_count?: number | null;
  chunk_count?: number | null;
  document_url?: string;
  duration_seconds?: number | null;
  frame_rate?: number | null;
  video_codec?: VideoCodec | null;
  resolution?: string | null;
  analysis_status?: ComponentStatus;
}

/** The fields of a medium without specific ones. */
export const NO_OWN_FIELDS: OwnItemFields = {
  thumbnail_url: null,
  medium_url: null,
  full_url: null,
  dimensions: null,
  variant_count: 0,
  blur_hash: null,
  document_type: null,
};

/** A file as a list item. */
export function presentFileItem(file: StoredFile, projectId: string | null, own: OwnItemFields) {
  return {
    id: file.id,
    title: file.title ?? file.filename,
    filename: file.filename,
    user_description: file.userDescription ?? null,
    upload_description: file.uploadDescription ?? null,
    visible_text: file.visibleText ?? null,
    tags: file.tags,
    size_bytes: file.sizeBytes,
    created_at: file.createdAt.toISOString(),
    content_created_at: file.contentCreatedAt?.toISOString() ?? null,
    has_full_description: file.uploadDescription !== null,
    format: file.format,
    primary_status: file.primaryStatus,
    failure_kind: failureKind(file.components),
    ...presentStatusFields(file.mediaType, file.components),
    description_error: file.components.description?.error?.message ?? null,
    content_type: file.contentType,
    media_type: file.mediaType,
    content_category: file.contentCategory,
    folder_id: file.folderId ?? null,
    project_id: projectId,
    ...own,
    source_url: file.sourceUrl ?? null,
    parent_file_id: file.parentFileId ?? null,
    parent_pages: file.parentPages ?? null,
  };
}

/** Fields of the file detail that all media share. */
export function presentFileDetail({
  file,
  progress,
  projectId,
  explanation,
  descriptions,
  schemaExtraction,
}: FileDetail) {
  return {
    id: file.id,
    title: file.title ?? file.filename,
    filename: file.filename,
    tags: file.tags,
    size_bytes: file.sizeBytes,
    content_type: file.contentType,
    format: file.format,
    source_url: file.sourceUrl ?? null,
    parent_file_id: file.parentFileId ?? null,
    parent_pages: file.parentPages ?? null,
    primary_status: progress.primaryStatus,
    failure_kind: failureKind(progress.components),
    ...presentStatusFields(file.mediaType, progress.components),
    ...presentErrorFields(file.mediaType, progress.components),
    explanation,
    user_description: file.userDescription ?? null,
    upload_description: file.uploadDescription ?? null,
    description_generated_at: file.describedAt?.toISOString() ?? null,
    full_descriptions: descriptions.map(presentDescription),
    schema_extraction: schemaExtraction && presentSchemaExtraction(schemaExtraction),
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

/** Originals are only served as attachments, because their bytes are untrusted. */
export function originalUrl(objects: Presigner, file: StoredFile, expiresInSeconds: number): Promise<string> {
  return objects.presignGet(file.objectKey, {
    expiresInSeconds,
    filename: file.filename,
    disposition: 'attachment',
    contentType: file.contentType,
  });
}

/** A picture that the service has made may be shown by browsers. */
export function variantUrl(
  objects: Presigner,
  variant: Pick<FileVariant, 'objectKey' | 'contentType'>,
): Promise<string> {
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
