import type { EntityManager } from '@mikro-orm/postgresql';
import { DocumentDetails } from '../../db/entities/documents/document-details.ts';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { DocumentSplit } from '../../db/entities/splits/document-split.ts';
import { secondsToCreditReset } from '../../domain/accounts/credits.ts';
import { AppError, notFound } from '../../domain/app-error.ts';
import { MAX_OPEN_SPLITS, MAX_SPLITS_OF_FILE } from '../../domain/limits.ts';
import { partsOfRanges } from '../../domain/splits.ts';
import type { SplitTarget } from '../../temporal/contract/split-document.ts';
import { apiKeyIdOf, type Caller } from '../accounts/principal.ts';
import { recordAuditEvent } from '../audit-log/record-audit-event.ts';
import { documentTypeOf } from '../documents/document-target.ts';
import { lockFile } from '../files/find-file.ts';
import { mediumOf } from '../media/medium.ts';
import { dueSince } from '../shared/due.ts';
import { findShortage } from './check-credits.ts';

const RETRY_AFTER_SECONDS = 5;

type Wanted = { ranges: readonly string[] | undefined; dryRun: boolean; keepSeparators: boolean };

/**
 * Writes the row of a split, which the caller then starts. A repeat with the same id returns the first one.
 *
 * @param wanted.ranges of pages; the rules look for documents without them
 * @throws AppError NOT_FOUND; WRONG_MEDIA_TYPE for a file that is not a PDF; WORK_IN_PROGRESS for one that is still being read or
 *   divided; DOCUMENT_UNREADABLE; VALIDATION_FAILED for ranges; NOTHING_TO_SPLIT for a single page; TOO_MANY_SPLITS;
 *   QUOTA_EXHAUSTED when the credits do not suffice for the files of ranges
 */
export async function createSplit(
  em: EntityManager,
  { splitId: id, tenantId }: SplitTarget,
  file: StoredFile,
  { ranges, dryRun, keepSeparators }: Wanted,
  { credential, ipAddress }: Caller,
): Promise<DocumentSplit> {
  if (documentTypeOf(file) !== 'pdf')
    throw new AppError('WRONG_MEDIA_TYPE', `only a PDF can be divided; this file is ${file.contentType}`);
  mediumOf(file).extraction?.requireReadable?.(file);
  const { pageCount } = await em.findOneOrFail(DocumentDetails, { fileId: file.id });
  if (pageCount < 2)
    throw new AppError('NOTHING_TO_SPLIT', 'the document has a single page, so there is nothing to divide');
  const parts = ranges ? partsOfRanges(ranges, pageCount) : null;
  return em.transactional(async (tx) => {
    // Splits of a file are accepted one after the other.
    const locked = await lockFile(tx, tenantId, file.id);
    if (!locked || locked.deletedAt) throw notFound('file');
    const existing = await tx.findOne(DocumentSplit, { id, tenantId });
    if (existing) return existing;
    const open = await tx.findOne(DocumentSplit, { fileId: file.id, status: 'processing' });
    if (open) {
      const message = `the document is being divided; wait for split ${open.id}, or cancel it`;
      throw new AppError('WORK_IN_PROGRESS', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
    await limitOpen(tx, tenantId);
    const shortage = parts && !dryRun ? await findShortage(tx, locked, parts) : undefined;
    if (shortage !== undefined)
      throw new AppError('QUOTA_EXHAUSTED', shortage, {
        retryAfterSeconds: secondsToCreditReset(new Date()),
      });
    await removeOldSplits(tx, file.id);
    const now = new Date();
    const row = tx.create(DocumentSplit, {
      id,
      tenantId,
      fileId: file.id,
      status: 'processing',
      byRules: parts === null,
      dryRun,
      keepSeparators,
      parts,
      leftOut: [],
      partsDone: 0,
      apiKeyId: apiKeyIdOf(credential) ?? null,
      ...dueSince(now),
      createdAt: now,
      updatedAt: now,
    });
    await tx.persist(row).flush();
    if (!dryRun)
      await recordAuditEvent(tx, {
        tenantId,
        type: 'file.divided',
        credential,
        ipAddress,
        resource: { type: 'file', id: file.id },
        metadata: { filename: file.filename, split_id: id },
      });
    return row;
  });
}

/** @throws AppError TOO_MANY_SPLITS */
async function limitOpen(tx: EntityManager, tenantId: string): Promise<void> {
  await tx.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`splits/${tenantId}`]);
  if ((await tx.count(DocumentSplit, { tenantId, status: 'processing' })) < MAX_OPEN_SPLITS) return;
  const message = `${MAX_OPEN_SPLITS} documents of this account are being divided; wait for one of them, or cancel it`;
  throw new AppError('TOO_MANY_SPLITS', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}

/** Leaves room for one more; those whose workflow has to stop stay. */
async function removeOldSplits(tx: EntityManager, fileId: string): Promise<void> {
  await tx.execute(
    `delete from document_splits where engine_due_at is null and id in (
       select id from document_splits where file_id = ? order by created_at desc, id desc offset ?)`,
    [fileId, MAX_SPLITS_OF_FILE - 1],
  );
}
