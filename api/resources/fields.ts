import { z } from 'zod';
import { COMPONENT_STATUSES } from '../../domain/components.ts';
import { MEDIA_TYPES, type MediaType } from '../../domain/media.ts';
import { componentsOf, pipelineOf, type ErrorField, type StatusField } from '../../domain/pipelines/index.ts';

/** Fields shared by several resources. */
export const timestamp = z.iso.datetime().meta({ description: 'ISO 8601, UTC' });
export const url = z
  .string()
  .nullable()
  .meta({ description: 'Presigned, valid for one hour; null until available' });
export const explanation = z
  .string()
  .meta({ description: 'One sentence: where the file stands and what it waits for' });
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
