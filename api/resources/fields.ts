import { z } from 'zod';
import { COMPONENT_STATUSES } from '../../domain/components.ts';
import { MEDIA_TYPES, type MediaType } from '../../domain/media.ts';
import { componentsOf, pipelineOf, type ErrorField, type StatusField } from '../../domain/pipelines/index.ts';

/** Fields that several resources have. */
export const timestamp = z.iso.datetime().meta({ description: 'ISO 8601, UTC' });
export const url = z
  .string()
  .nullable()
  .meta({ description: 'Presigned, valid for one hour; null until it is there' });
export const componentStatus = z.enum(COMPONENT_STATUSES).meta({ id: 'ComponentStatus' });

/**
 * A field of the contract for the status of each component.
 *
 * @param media whose files have this shape; a field that not all of them have is optional
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

/** Of a file of any medium. */
export const statusShape = statusShapeOf(MEDIA_TYPES.filter((mediaType) => pipelineOf(mediaType)));

/** A field of the contract for why each component failed. */
export const errorShapeOf = (mediaType: MediaType) =>
  Object.fromEntries(
    componentsOf(mediaType).map(({ errorField }) => [errorField, z.string().nullable()]),
  ) as Record<ErrorField, z.ZodNullable<z.ZodString>>;
