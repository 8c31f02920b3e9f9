import type { EntityManager } from '@mikro-orm/postgresql';
import { AppError } from '../../domain/app-error.ts';
import type { FilesSpec } from '../../domain/exports/spec.ts';
import { findConnection } from '../connections/connections.ts';
import { openFilesTable } from './files/files-table.ts';
import { formatOf, type ExportFormat } from './formats/index.ts';

const HOW_TO_CONNECT =
  'an admin connects an account with POST /connections/oauth/start, or POST /connections with a refresh token; give its id as connection_id';

/** The id of the connection that a format needs; undefined where it needs none. */
async function requireConnection(
  em: EntityManager,
  tenantId: string,
  format: ExportFormat,
  connectionId: string | undefined,
): Promise<string | undefined> {
  if (formatOf(format).file) return undefined;
  if (connectionId === undefined) {
    throw new AppError('CONNECTION_REQUIRED', `${format} needs a connection: ${HOW_TO_CONNECT}`);
  }
  const { id, error } = await findConnection(em, tenantId, connectionId);
  if (error) throw new AppError('CONNECTION_REJECTED', `${error}; connect the account again`);
  return id;
}

/**
 * Whether an export of files can be written.
 *
 * @returns the connection that it needs
 * @throws AppError NOT_FOUND for its folder or connection, CONNECTION_REQUIRED, CONNECTION_REJECTED, EXPORT_TOO_LARGE
 */
export async function checkFilesExport(
  em: EntityManager,
  tenantId: string,
  {
    format,
    spec,
    connectionId,
  }: { format: ExportFormat; spec: FilesSpec; connectionId?: string | undefined },
): Promise<string | undefined> {
  const connection = await requireConnection(em, tenantId, format, connectionId);
  const table = await openFilesTable(em, { tenantId, createdAt: new Date() }, spec);
  const [count, most = 0] = [await table.count(), formatOf(format).maxRecords.files];
  if (count <= most) return connection;
  throw new AppError(
    'EXPORT_TOO_LARGE',
    `${count} files are too many for ${format}, which holds ${most}; narrow them by folder_id or file_ids, or use csv`,
  );
}
