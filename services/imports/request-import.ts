import type { EntityManager } from '@mikro-orm/postgresql';
import { FileImport } from '../../db/entities/imports/import.ts';
import type { Credential } from '../../domain/accounts/access.ts';
import { AppError } from '../../domain/app-error.ts';
import { type ImportSettings, type ImportSource, type WhenGone } from '../../domain/imports.ts';
import { MAX_OPEN_IMPORTS, MAX_REPEATED_IMPORTS } from '../../domain/limits.ts';
import { apiKeyIdOf } from '../accounts/principal.ts';
import { dueSince } from '../shared/due.ts';
import { recordAuditEvent } from '../audit-log/record-audit-event.ts';
import { findConnection } from '../connections/connections.ts';
import { requireStorageConfig } from '../storage/read-storage.ts';
import { hasOpenImports, type ImportTarget } from './find-import.ts';

const RETRY_AFTER_SECONDS = 60;

interface WantedImport {
  source: ImportSource;
  settings: ImportSettings;
  concurrency: number;
  maxPerMinute: number | undefined;
  repeatHours: number | undefined;
  whenGone: WhenGone;
}

/**
 * Writes the row of an import, which the caller then starts. A repeat with the same id returns the first one.
 *
 * @throws AppError NOT_FOUND for its connection, STORAGE_NOT_CONFIGURED, TOO_MANY_IMPORTS
 */
export async function requestImport(
  em: EntityManager,
  { importId: id, tenantId }: ImportTarget,
  { repeatHours, maxPerMinute, ...wanted }: WantedImport,
  { credential, ipAddress }: { credential: Credential; ipAddress: string },
): Promise<FileImport> {
  const { source } = wanted;
  return em.transactional(async (tx) => {
    await tx.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`imports/${tenantId}`]);
    const existing = await tx.findOne(FileImport, { id, tenantId });
    if (existing) return existing;
    if (source.type === 'own_bucket') await requireStorageConfig(tx, tenantId);
    if ('connectionId' in source && source.connectionId !== undefined)
      await findConnection(tx, tenantId, source.connectionId, 's3');
    if (await hasOpenImports(tx, tenantId, MAX_OPEN_IMPORTS)) {
      const message = `${MAX_OPEN_IMPORTS} imports of this account have not ended; wait for one of them, pause or cancel it`;
      throw new AppError('TOO_MANY_IMPORTS', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
    const repeating = { tenantId, repeatHours: { $ne: null }, status: { $ne: 'cancelled' } } as const;
    if (repeatHours && (await tx.count(FileImport, repeating)) >= MAX_REPEATED_IMPORTS) {
      const message = `${MAX_REPEATED_IMPORTS} imports of this account repeat; cancel one of them`;
      throw new AppError('TOO_MANY_IMPORTS', message);
    }
    const createdAt = new Date();
    const row = tx.create(FileImport, {
      id,
      tenantId,
      apiKeyId: apiKeyIdOf(credential) ?? null,
      ...wanted,
      maxPerMinute: maxPerMinute ?? null,
      repeatHours: repeatHours ?? null,
      pass: 1,
      seen: false,
      partial: false,
      gonePass: 1,
      gone: 0,
      status: 'pending',
      generation: 1,
      retryFailed: false,
      listed: false,
      idlePages: 0,
      found: 0,
      imported: 0,
      skipped: 0,
      failed: 0,
      reasons: {},
      bytes: 0,
      ...dueSince(createdAt),
      createdAt,
      updatedAt: createdAt,
    });
    await tx.persist(row).flush();
    await recordAuditEvent(tx, {
      tenantId,
      type: 'import.created',
      credential,
      ipAddress,
      resource: { type: 'import', id },
      metadata: { source: source.type },
    });
    return row;
  });
}
