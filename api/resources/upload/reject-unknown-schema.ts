import { AppError } from '../../../domain/app-error.ts';

/**
 * Refuses a request that names a saved schema: none exist yet.
 *
 * @throws AppError CUSTOM_SCHEMA_NOT_FOUND
 */
export function rejectUnknownSchema(schemaId: string | null | undefined): void {
  if (schemaId) throw new AppError('CUSTOM_SCHEMA_NOT_FOUND', 'saved schema not found');
}
