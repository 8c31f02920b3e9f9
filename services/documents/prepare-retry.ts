import type { EntityManager } from '@mikro-orm/postgresql';
import { DocumentPage } from '../../db/entities/documents/document-page.ts';
import type { ComponentName } from '../../domain/components.ts';
import { AppError, invalidField } from '../../domain/app-error.ts';
import type { EndedRun, PagesToRetry } from '../media/medium.ts';
import { countUnpaidPages } from './count-unpaid-pages.ts';

/**
 * Marks the pages that a retry is to read again; the others keep their content.
 *
 * Pages that could not be read have been paid for with the others of their run; one that is read once more is not.
 *
 * @returns components that are already paid for
 * @throws AppError VALIDATION_FAILED for a page that the document does not have
 */
export async function prepareRetry(
  tx: EntityManager,
  ended: EndedRun,
  retried: readonly ComponentName[],
  pages: PagesToRetry,
): Promise<readonly ComponentName[]> {
  const { fileId } = ended;
  if (!retried.includes('text_extraction')) return [];
  if (pages === 'all') {
    // The document is inspected again as well.
    await tx.execute('delete from document_details where file_id = ? and stale_chunks = ?', [fileId, '{}']);
    await tx.nativeUpdate(DocumentPage, { fileId }, { status: 'pending', error: null });
    return [];
  }
  if (pages !== 'failed') await rejectUnknown(tx, fileId, pages);
  await tx.nativeUpdate(
    DocumentPage,
    { fileId, ...(pages === 'failed' ? { status: 'failed' } : { pageNumber: { $in: [...pages] } }) },
    { status: 'pending', error: null },
  );
  const { listed, unpaid } = await countUnpaidPages(tx, ended);
  return listed > 0 && unpaid === 0 ? ['text_extraction'] : [];
}

async function rejectUnknown(tx: EntityManager, fileId: string, pages: readonly number[]): Promise<void> {
  const total = await tx.count(DocumentPage, { fileId });
  if (total === 0)
    throw new AppError('NOTHING_TO_RETRY', 'the pages of this document are not known; retry without them');
  const at = pages.findIndex((page) => page > total);
  if (at >= 0) throw invalidField(`/body/pages/${at}`, `the document has ${total} pages`);
}
