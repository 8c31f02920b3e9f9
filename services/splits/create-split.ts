import type { EntityManager } from '@mikro-orm/postgresql';
import { DocumentDetails } from '../../db/entities/documents/document-details.ts';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { DocumentSplit } from '../../db/entities/splits/document-split.ts';
import { AppError, notFound } from '../../domain/app-error.ts';
import { partsOfRanges } from '../../domain/splits.ts';
import type { SplitTarget } from '../../temporal/contract/split-document.ts';
import { apiKeyIdOf, type Principal } from '../accounts/principal.ts';
import { documentTypeOf } from '../documents/document-target.ts';
import { lockFile } from '../files/find-file.ts';
import { mediumOf } from '../media/medium.ts';
import { dueSince } from '../shared/due.ts';

const RETRY_AFTER_SECONDS = 5;

/**
 * Writes the row of a split, which the caller then starts. A repeat with the same id returns the first one.
 *
 * @param wanted.ranges of pages; the rules look for documents without them
 * @throws AppError NOT_FOUND; WRONG_MEDIA_TYPE for a file that is not a PDF; WORK_IN_PROGRESS for one that is still being read or
 *   divided; DOCUMENT_UNREADABLE; VALIDATION_FAILED for ranges; NOTHING_TO_SPLIT for a single page
 */
export async function createSplit(
  em: EntityManager,
  { splitId: id, tenantId }: SplitTarget,
  file: StoredFile,
  { ranges, dryRun }: { ranges: readonly string[] | undefined; dryRun: boolean },
  { credential }: Pick<Principal, 'credential'>,
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
    const now = new Date();
    const row = tx.create(DocumentSplit, {
      id,
      tenantId,
      fileId: file.id,
      status: 'processing',
      byRules: parts === null,
      dryRun,
      parts,
      leftOut: [],
      apiKeyId: apiKeyIdOf(credential) ?? null,
      ...dueSince(now),
      createdAt: now,
      updatedAt: now,
    });
    await tx.persist(row).flush();
    return row;
  });
}
