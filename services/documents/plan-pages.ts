import type { EntityManager } from '@mikro-orm/postgresql';
import { NAMED_PAGES } from '../../domain/documents/page.ts';
import type { PageBatch, PagePlan } from '../../temporal/contract/digitize-document.ts';
import type { FileTarget } from '../processing/file-target.ts';

/** Pages with text take a few milliseconds each. */
export const PAGES_A_BATCH = 16;

interface OpenPage {
  page_number: number;
  needs_ocr: boolean;
}

/**
 * The pages of a document still to be read, in batches, and how many have been read. Pages to be laid out come only
 * after all are read: while the model is unavailable, a run does not end before its layouts do.
 *
 * @param maxBatches the most batches
 */
export async function planPages(
  em: EntityManager,
  { fileId, tenantId }: FileTarget,
  maxBatches: number,
): Promise<PagePlan> {
  const open = await em.execute<OpenPage[]>(
    `select page_number, needs_ocr from document_pages
     where file_id = (select id from files where id = ? and tenant_id = ?) and status in ('pending', 'processing')
     order by page_number limit ?`,
    [fileId, tenantId, PAGES_A_BATCH * maxBatches],
  );
  const due = await em.execute<OpenPage[]>(
    `select page_number, needs_ocr from document_pages
     where file_id = (select id from files where id = ? and tenant_id = ?) and status = 'completed' and layout_due
     order by page_number limit ?`,
    [fileId, tenantId, maxBatches],
  );
  const [counted] = await em.execute<
    { total: number; completed: number; failed: number; due: number; failed_pages: number[] | null }[]
  >(
    `select count(*)::int as total, count(*) filter (where status = 'completed')::int as completed,
       count(*) filter (where status = 'failed')::int as failed,
       count(*) filter (where status = 'completed' and layout_due)::int as due,
       (array_agg(page_number order by page_number) filter (where status = 'failed'))[1:?] as failed_pages
     from document_pages where file_id = ?`,
    [NAMED_PAGES, fileId],
  );
  const {
    total = 0,
    completed = 0,
    failed = 0,
    due: layoutsDue = 0,
    failed_pages: failedPages,
  } = counted ?? {};
  return {
    batches: open.length > 0 ? toBatches(open).slice(0, maxBatches) : due.map(toLayout),
    total,
    completed,
    failed,
    layoutsDue,
    failedPages: failedPages ?? [],
  };
}

const toLayout = ({ page_number: page }: OpenPage): PageBatch => ({ work: 'vision', pages: [page] });

function toBatches(open: readonly OpenPage[]): PageBatch[] {
  const batches: PageBatch[] = [];
  let text: PageBatch | undefined;
  for (const { page_number: page, needs_ocr: needsOcr } of open) {
    if (needsOcr) {
      batches.push({ work: 'ocr', pages: [page] });
    } else if (text && text.pages.length < PAGES_A_BATCH) {
      text.pages.push(page);
    } else {
      text = { work: 'cpu', pages: [page] };
      batches.push(text);
    }
  }
  return batches;
}
