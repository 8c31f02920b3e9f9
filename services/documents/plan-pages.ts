import type { EntityManager } from '@mikro-orm/postgresql';
import { openingMs } from 'darkroom-reader/document';
import { NAMED_PAGES } from '../../domain/documents/page.ts';
import { PAGES_A_BATCH, type PageBatch, type PagePlan } from '../../temporal/contract/digitize-document.ts';
import type { FileTarget } from '../processing/file-target.ts';
import { findDetails } from './document-target.ts';

/** Each batch of pages may open the document anew, which costs a page at most this much, in milliseconds. */
const OPENING_MS_A_PAGE = 10;
/** They are written in one transaction. */
const MOST_PAGES = 512;

/**
 * Pages of a batch: as many as their opening was dear.
 *
 * @param opening processor time of opening the document, in milliseconds
 */
export function pagesABatch(opening: number): number {
  return Math.min(MOST_PAGES, Math.max(PAGES_A_BATCH, Math.ceil(opening / OPENING_MS_A_PAGE)));
}

interface OpenPage {
  page_number: number;
  needs_ocr: boolean;
}

/**
 * The pages of a document still to be read, in batches, and how many have been read. Pages to be laid out come only
 * after all are read: while the model is unavailable, a run does not end before its layouts do.
 *
 * @param maxBatches the most batches; longer ones are as many fewer
 */
export async function planPages(
  em: EntityManager,
  { fileId, tenantId }: FileTarget,
  maxBatches: number,
): Promise<PagePlan> {
  const { profile } = await findDetails(em, fileId);
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
    batches:
      open.length > 0
        ? toBatches(open, pagesABatch(openingMs(profile))).slice(0, maxBatches)
        : due.map(toLayout),
    total,
    completed,
    failed,
    layoutsDue,
    failedPages: failedPages ?? [],
  };
}

const toLayout = ({ page_number: page }: OpenPage): PageBatch => ({ work: 'vision', pages: [page] });

function toBatches(open: readonly OpenPage[], pagesOfBatch: number): PageBatch[] {
  const batches: PageBatch[] = [];
  let text: PageBatch | undefined;
  for (const { page_number: page, needs_ocr: needsOcr } of open) {
    if (needsOcr) {
      batches.push({ work: 'ocr', pages: [page] });
    } else if (text && text.pages.length < pagesOfBatch) {
      text.pages.push(page);
    } else {
      text = { work: 'cpu', pages: [page] };
      batches.push(text);
    }
  }
  return batches;
}
