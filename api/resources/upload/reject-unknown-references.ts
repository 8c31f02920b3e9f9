import { notFound, AppError } from '../../../domain/app-error.ts';

/**
 * Refuses an upload that references folders, projects or schemas, none of which exist yet.
 *
 * @throws AppError NOT_FOUND, CUSTOM_SCHEMA_NOT_FOUND
 */
export function rejectUnknownReferences(named: {
  folder_id?: string | null | undefined;
  project_id?: string | null | undefined;
  custom_schema_id?: string | null | undefined;
}): void {
  if (named.folder_id) throw notFound('folder');
  if (named.project_id) throw notFound('project');
  if (named.custom_schema_id) throw new AppError('CUSTOM_SCHEMA_NOT_FOUND', 'saved schema not found');
}
