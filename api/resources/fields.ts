import { z } from 'zod';
import { COMPONENT_STATUSES } from '../../domain/components.ts';

/** Fields that several resources have. */
export const timestamp = z.iso.datetime().meta({ description: 'ISO 8601, UTC' });
export const url = z
  .string()
  .nullable()
  .meta({ description: 'Presigned, valid for one hour; null until it is there' });
export const componentStatus = z.enum(COMPONENT_STATUSES).meta({ id: 'ComponentStatus' });
