import type { EntityManager } from '@mikro-orm/postgresql';
import { AppError } from '../../domain/app-error.ts';
import type { FilesSpec } from '../../domain/exports/spec.ts';
import { findConnection } from '../connections/connections.ts';
import { openFilesTable } from './files/files-table.ts';
import { formatOf, type ExportFormat } from './formats/index.ts';
import { DataExport } from '../../db/entities/exports/export.ts';
import type { Credential } from '../../domain/accounts/access.ts';
import { OPEN_EXPORT_STATUSES } from '../../domain/exports/export.ts';
import { MAX_OPEN_EXPORTS } from '../../domain/limits.ts';
import { recordAuditEvent } from '../audit-log/record-audit-event.ts';
import { subscribeToSubject, type RequestWebhook } from '../webhooks/request-webhook.ts';
import type { ExportTarget } from './find-export.ts';
import { dueSince } from '../shared/due.ts';

const HOW_TO_CONNECT =
  'an admin connects an account with POST /connections/oauth/start, or POST /connections with a refresh token; give its id as connection_id';

/** The id of the connection that a format needs; undefined if it needs none. */
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
  const { id, error } = await findConnection(em, tenantId, connectionId, 'google_sheets');
  if (error) throw new AppError('CONNECTION_REJECTED', `${error}; connect the account again`);
  return id;
}

/**
 * Checks that an export of files can be written.
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

const RETRY_AFTER_SECONDS = 30;

/** The credential and the address of the client. */
interface ExportCaller {
  credential: Credential;
  ipAddress: string;
}

type Wanted = Pick<DataExport, 'kind' | 'format' | 'spec'> & {
  connectionId?: string | undefined;
  /** Receives the events of the export. */
  webhook?: RequestWebhook | undefined;
};

/**
 * Writes the row of an export, which the caller then starts. A repeat with the same id returns the first one.
 * Recorded in the audit log, since an export may contain all data of a tenant.
 *
 * @throws AppError TOO_MANY_EXPORTS
 */
export async function createExport(
  em: EntityManager,
  { exportId: id, tenantId }: ExportTarget,
  { kind, format, spec, connectionId, webhook }: Wanted,
  { credential, ipAddress }: ExportCaller,
): Promise<DataExport> {
  return em.transactional(async (tx) => {
    await tx.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`exports/${tenantId}`]);
    const existing = await tx.findOne(DataExport, { id, tenantId });
    if (existing) return existing;
    const open = await tx.count(DataExport, { tenantId, status: { $in: [...OPEN_EXPORT_STATUSES] } });
    if (open >= MAX_OPEN_EXPORTS) {
      const message = `${MAX_OPEN_EXPORTS} exports of this account are being written; wait for one of them, or cancel it`;
      throw new AppError('TOO_MANY_EXPORTS', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
    await subscribeToSubject(tx, webhook, { tenantId, kind: 'export', id });
    const createdAt = new Date();
    const row = tx.create(DataExport, {
      id,
      tenantId,
      kind,
      format,
      spec,
      connectionId: connectionId ?? null,
      status: 'pending',
      fence: 0,
      recordCount: 0,
      ...dueSince(createdAt),
      createdAt,
    });
    await tx.persist(row).flush();
    const resource = { type: 'export', id };
    await recordAuditEvent(tx, {
      tenantId,
      type: 'data.exported',
      credential,
      ipAddress,
      resource,
      metadata: { kind, format },
    });
    return row;
  });
}
