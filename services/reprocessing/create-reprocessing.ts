import type { EntityManager } from '@mikro-orm/postgresql';
import { Reprocessing } from '../../db/entities/reprocessing/reprocessing.ts';
import { AppError } from '../../domain/app-error.ts';
import { MAX_OPEN_REPROCESSINGS } from '../../domain/limits.ts';
import { OPEN_REPROCESSING_STATUSES } from '../../domain/reprocessing.ts';
import type { ReprocessingTarget } from '../../temporal/contract/reprocess-files.ts';
import { apiKeyIdOf, type Caller } from '../accounts/principal.ts';
import { recordAuditEvent } from '../audit-log/record-audit-event.ts';
import type { ReprocessingEstimate } from './selected-files.ts';

const RETRY_AFTER_SECONDS = 60;

type Wanted = Pick<Reprocessing, 'selection' | 'parts' | 'reason' | 'createdAt'> & {
  schemaId: string | undefined;
  filesPerMinute: number | undefined;
};

/**
 * Writes the row of a reprocessing, which the caller then starts. A repeat with the same id returns the first one.
 *
 * @throws AppError TOO_MANY_REPROCESSINGS
 */
export async function createReprocessing(
  em: EntityManager,
  { reprocessingId: id, tenantId }: ReprocessingTarget,
  { schemaId, filesPerMinute, ...wanted }: Wanted,
  { totalFiles, credits }: ReprocessingEstimate,
  { credential, ipAddress }: Caller,
): Promise<Reprocessing> {
  return em.transactional(async (tx) => {
    await tx.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`reprocessings/${tenantId}`]);
    const existing = await tx.findOne(Reprocessing, { id, tenantId });
    if (existing) return existing;
    const open = await tx.count(Reprocessing, { tenantId, status: { $in: [...OPEN_REPROCESSING_STATUSES] } });
    if (open >= MAX_OPEN_REPROCESSINGS) {
      const message = `${MAX_OPEN_REPROCESSINGS} reprocessings of this account are open; wait for one of them, or cancel it`;
      throw new AppError('TOO_MANY_REPROCESSINGS', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
    const row = tx.create(Reprocessing, {
      ...wanted,
      id,
      tenantId,
      status: 'processing',
      schemaId: schemaId ?? null,
      filesPerMinute: filesPerMinute ?? null,
      apiKeyId: apiKeyIdOf(credential) ?? null,
      totalCount: totalFiles,
      estimatedCredits: credits,
      engineDueAt: wanted.createdAt,
    });
    await tx.persist(row).flush();
    await recordAuditEvent(tx, {
      tenantId,
      type: 'reprocessing.started',
      credential,
      ipAddress,
      resource: { type: 'reprocessing', id },
      metadata: { reason: wanted.reason, components: wanted.parts, files: totalFiles },
    });
    return row;
  });
}
