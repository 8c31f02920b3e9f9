import type { EntityManager } from '@mikro-orm/postgresql';
import type { ImageImport } from '../../db/entities/uploads/image-import.ts';
import { Tenant } from '../../db/entities/accounts/tenant.ts';
import { reservationIdsOf } from '../../domain/accounts/credits.ts';
import type { FailureReason } from '../../domain/components.ts';
import type { ImportTarget } from '../../temporal/contract/import-image.ts';
import { closeReservations } from '../accounts/credits.ts';
import { ingestFile, type IncomingFile, type IngestOutcome } from '../uploads/ingest-file.ts';
import { lockImageImport } from './find-image-import.ts';
import { NOT_DUE } from '../shared/due.ts';

/** The stored bytes of an image. */
export type FetchedImage = Omit<
  IncomingFile,
  'fileId' | 'title' | 'tags' | 'contentCategory' | 'options' | 'folderId' | 'session'
>;

/**
 * Creates the file of an import, or finds its duplicate, and ends the import, in one transaction: of any number of
 * attempts, one creates the file.
 *
 * @returns undefined when the import had ended before, and nothing was changed
 */
export async function completeImageImport(
  em: EntityManager,
  target: ImportTarget,
  fetched: FetchedImage,
): Promise<IngestOutcome | undefined> {
  return em.transactional(async (tx) => {
    const row = await lockImageImport(tx, target);
    if (row.status !== 'pending') return undefined;
    const { contentCategory, options } = row;
    const { id: tenantId, tier } = await tx.findOneOrFail(Tenant, target.tenantId);
    const described = { ...fetched, title: null, tags: [], contentCategory, options };
    const outcome = await ingestFile(tx, { tenantId, tier }, { ...described, fileId: target.fileId });
    if ('duplicateOf' in outcome) {
      row.duplicateOf = outcome.duplicateOf.id;
      await refund(tx, target);
    }
    end(row, 'completed');
    return outcome;
  });
}

/**
 * Ends an import without a file and refunds its credits. Idempotent.
 *
 * @returns whether it was still open
 */
export async function failImageImport(
  em: EntityManager,
  target: ImportTarget,
  reason: FailureReason,
): Promise<boolean> {
  return em.transactional(async (tx) => {
    const row = await lockImageImport(tx, target);
    if (row.status !== 'pending') return false;
    row.error = reason;
    end(row, 'failed');
    await refund(tx, target);
    return true;
  });
}

function end(row: ImageImport, status: 'completed' | 'failed'): void {
  row.status = status;
  row.url = null;
  Object.assign(row, NOT_DUE);
  row.updatedAt = new Date();
}

function refund(tx: EntityManager, { fileId }: ImportTarget): Promise<void> {
  return closeReservations(tx, reservationIdsOf(fileId, 1), 'refund');
}
