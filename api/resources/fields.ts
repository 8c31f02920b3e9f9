import { z } from 'zod';
import { COMPONENT_STATUSES } from '../../domain/components.ts';
import { MEDIA_TYPES, type MediaType } from '../../domain/media.ts';
import { ROOT } from '../../services/files/folders/list-folders.ts';
import { componentsOf, pipelineOf, type ErrorField, type StatusField } from '../../domain/pipelines/index.ts';

/** Fields shared by several resources. */
export const timestamp = z.iso.datetime();
/** A presigned URL of an image, where there is one. */
export const url = z.url().nullable();
export const filename = z.string();
export const count = z.int().min(0);
/** Sizes of a document, beside fields of other media. */
export const documentCounts = {
  page_count: count.nullable().optional().meta({ description: 'Of a document; null until it is inspected' }),
  chunk_count: count.nullable().optional().meta({ description: 'Of a document; null until it is inspected' }),
};
export const percentage = z.number().min(0).max(100);
/** Milliseconds. */
export const duration = z.int().min(0);
export const explanation = z
  .string()
  .meta({ description: 'One sentence: where the file stands and what it waits for' });

/** A path parameter; a malformed id is answered like an unknown one, so it is not validated. */
export const idParam = (description: string) =>
  z.string().meta({ override: { type: 'string', format: 'uuid' }, description });
/** The same for files, of which the beginning suffices. */
export const fileIdParam = z.string().meta({
  override: {
    type: 'string',
    pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})?$',
  },
  description: 'UUID of a file, or its first 8 characters',
});
/** A query parameter that names a folder, or the root with the word `root`. */
export const folderOrRoot = z
  .union([z.literal(ROOT), z.guid().toLowerCase()], 'must be a UUID, or root')
  .meta({
    override: {
      type: 'string',
      pattern: '^(root|[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})$',
    },
  });
export const componentStatus = z.enum(COMPONENT_STATUSES).meta({ id: 'ComponentStatus' });

/**
 * The API's status field of each component.
 *
 * @param media media that share this shape; a field that some of them lack is optional
 */
export function statusShapeOf(media: readonly MediaType[]) {
  const fields = media.map((mediaType) => componentsOf(mediaType).map(({ statusField }) => statusField));
  return Object.fromEntries(
    fields.flat().map((field) => {
      const everywhere = fields.every((its) => its.includes(field));
      return [field, everywhere ? componentStatus : componentStatus.optional()];
    }),
  ) as Record<StatusField, typeof componentStatus | z.ZodOptional<typeof componentStatus>>;
}

/** Status fields of a file of any medium. */
export const statusShape = statusShapeOf(MEDIA_TYPES.filter((mediaType) => pipelineOf(mediaType)));

/** The API's error field of each component. */
export const errorShapeOf = (mediaType: MediaType) =>
  Object.fromEntries(
    componentsOf(mediaType).map(({ errorField }) => [errorField, z.string().nullable()]),
  ) as Record<ErrorField, z.ZodNullable<z.ZodString>>;
