import type { EntityManager } from '@mikro-orm/postgresql';
import { DataExport } from '../../db/entities/exports/export.ts';
import type { Credential } from '../../domain/accounts/access.ts';
import { AppError } from '../../domain/app-error.ts';
import { OPEN_EXPORT_STATUSES } from '../../domain/exports/export.ts';
import { MAX_OPEN_EXPORTS } from '../../domain/limits.ts';
import { recordAuditEvent } from '../audit-log/record-audit-event.ts';
import type { ExportTarget } from './find-export.ts';

const RETRY_AFTER_SECONDS = 30;

/** Who asks for an export, and where from. */
export interface ExportCaller {
  credential: Credential;
  ipAddress: string;
}

type Wanted = Pick<DataExport, 'kind' | 'format' | 'spec'> & { connectionId?: string | undefined };

/**
 * Writes the row of an export, which the caller then starts. A repeat with the same id finds the first one. Everything of
 * a tenant leaves the service with an export, so the audit log has it.
 *
 * @throws AppError TOO_MANY_EXPORTS
 */
export async function createExport(
  em: EntityManager,
  { exportId: id, tenantId }: ExportTarget,
  { kind, format, spec, connectionId }: Wanted,
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
      engineDueAt: createdAt,
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
