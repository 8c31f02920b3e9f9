import type { EntityManager } from '@mikro-orm/postgresql';
import { DocumentPage } from '../../db/entities/documents/document-page.ts';
import { AppError, invalidField } from '../../domain/app-error.ts';
import { MAX_CELL_LENGTH } from '../../domain/exports/cell.ts';
import { explainPages, type PageProgress } from '../../domain/documents/page.ts';
import { isTerminalPrimary } from '../../domain/primary-status.ts';
import { INDEX_CHANGED, SYNC_INDEX } from '../../temporal/contract/indexes.ts';
import { startWorkflow } from '../../temporal/start-workflow.ts';
import type { PagesToRetry } from '../../domain/retry-components.ts';
import type { Medium, EndedRun } from '../media/medium.ts';
import { sql, type Sql } from '../shared/sql.ts';
import type { ComponentName } from '../../domain/components.ts';
import { countUnpaidPages } from './document-target.ts';

export const documentMedium: Medium = {
  mediaType: 'document',
  ownTables: ['document_chunks', 'page_images', 'document_pages', 'document_details'],
  index: {
    // A document that was never deleted has nothing to sync, unless it was processed before.
    name: 'chunks',
    isDue: ({ deletedAt, generation, primaryStatus }) =>
      Boolean(deletedAt) || generation > 1 || isTerminalPrimary(primaryStatus),
    dueSql: 'generation > 1',
    sync: (engine, file) =>
      startWorkflow(engine, SYNC_INDEX, { index: 'chunks', ...file }, { signal: INDEX_CHANGED }),
  },
  exports: {
    joins: sql` left join document_details d on d.file_id = f.id`,
    columns: {
      // Page by page, so that reading stops at the length of a cell.
      extracted_text: sql`case when d.file_id is not null then (
        with recursive pages as (
          (${pageAfter(sql`0`)})
          union all
          select next.page_number, next.text, pages.length + 2 + next.length
          from pages, lateral (${pageAfter(sql`pages.page_number`)}) as next where pages.length < ${MAX_CELL_LENGTH}
        ) select left(string_agg(text, E'\n\n' order by page_number), ${MAX_CELL_LENGTH}) from pages) end`,
      document_type: sql`case when f.media_type = 'document' then f.format end`,
      page_count: sql`d.page_count`,
      chunk_count: sql`case when d.file_id is not null then
        (select count(*)::int from document_chunks chunk where chunk.file_id = f.id) end`,
      document_title: sql`d.title`,
      document_author: sql`d.author`,
      language: sql`d.language`,
    },
  },
  extraction: {
    requireReadable({ components }) {
      const text = components.text_extraction?.status;
      if (text === 'completed') return;
      if (text === 'failed' || text === 'skipped') {
        throw new AppError('DOCUMENT_UNREADABLE', 'the text of this document could not be read');
      }
      throw new AppError('WORK_IN_PROGRESS', 'the document is still being read; try again when it is', {
        retryAfterSeconds: 2,
      });
    },
    async readPages(em, fileId) {
      const pages = await em.find(
        DocumentPage,
        { fileId, status: 'completed' },
        { orderBy: { pageNumber: 'asc' } },
      );
      return pages
        .filter(({ elements }) => elements.length > 0)
        .map(({ pageNumber, elements }) => ({ pageNumber, elements }));
    },
  },
  /** When a page was last read, laid out or given up. */
  async lastProgressAt(em, fileId) {
    const [row] = await em.execute<{ at: string | null }[]>(
      'select max(updated_at) as at from document_pages where file_id = ?',
      [fileId],
    );
    return row?.at ? new Date(row.at) : undefined;
  },
  async progress(em, fileId) {
    const [pages] = await em.execute<PageProgress[]>(
      `select count(*)::int as total, count(*) filter (where status = 'completed')::int as completed,
         count(*) filter (where status = 'failed')::int as failed,
         count(*) filter (where status = 'completed' and layout_due)::int as "layoutsDue"
       from document_pages where file_id = ?`,
      [fileId],
    );
    const open = pages && (pages.completed + pages.failed < pages.total || pages.layoutsDue > 0);
    return open ? explainPages(pages) : undefined;
  },
  prepareRetry,
};

/** The next page of a file that has text, up to the length of a cell. */
function pageAfter(number: Sql): Sql {
  return sql`select page_number, text, length(text) as length from (
    select page.page_number, substr(page.text, 1, ${MAX_CELL_LENGTH}) as text from document_pages page
    where page.file_id = f.id and page.page_number > ${number} and page.status = 'completed' and page.text <> ''
    order by page.page_number limit 1) as page`;
}

/**
 * Marks the pages that a retry reads again; the others keep their content.
 *
 * The retry of an unreadable page is already paid for; rereading a page that had been read is not.
 *
 * @returns components that are already paid for
 * @throws AppError VALIDATION_FAILED for a page that the document does not have
 */
async function prepareRetry(
  tx: EntityManager,
  ended: EndedRun,
  retried: readonly ComponentName[],
  pages: PagesToRetry,
): Promise<readonly ComponentName[]> {
  const { fileId } = ended;
  if (!retried.includes('text_extraction')) return [];
  if (pages === 'all') {
    // A retry of all pages also inspects the document again.
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
