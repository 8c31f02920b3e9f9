import type { FailureReason } from '../components.ts';
import type { PageBox } from 'darkroom-reader/document';

/** The box around others; null without any. */
export function boxAround(boxes: readonly PageBox[]): PageBox | null {
  if (boxes.length === 0) return null;
  const x = Math.min(...boxes.map((box) => box.x));
  const y = Math.min(...boxes.map((box) => box.y));
  const right = Math.max(...boxes.map((box) => box.x + box.w));
  const bottom = Math.max(...boxes.map((box) => box.y + box.h));
  return { x: rounded(x), y: rounded(y), w: rounded(right - x), h: rounded(bottom - y) };
}

/** Four digits distinguish the pixels of a side of 10,000. */
const rounded = (part: number): number => Math.round(part * 10_000) / 10_000;

/**
 * The id of an element, unique in its document.
 *
 * @param position among the elements of its page, from 0
 */
export function elementId(pageNumber: number, position: number): string {
  return `p${pageNumber}-e${position}`;
}

/** Status of one page, and of the pages of a document together. */
export const PAGE_STATUSES = ['pending', 'processing', 'completed', 'failed'] as const;
export type PageStatus = (typeof PAGE_STATUSES)[number];

/** The number of pages of a document by status. */
export type PageCounts = Readonly<Record<PageStatus, number>>;

/**
 * The combined status of a document's pages: completed once all pages have ended and at least one could be read.
 *
 * @param ended whether its text extraction has ended, so that no further page follows
 */
export function pagesStatus(
  { pending, processing, completed, failed }: PageCounts,
  ended: boolean,
): PageStatus {
  const total = pending + processing + completed + failed;
  if (total === 0) return ended ? 'failed' : 'pending';
  if (ended || pending + processing === 0) return completed > 0 ? 'completed' : 'failed';
  return pending === total ? 'pending' : 'processing';
}

/** Numbers of pages of a document, while they are being read, or laid out by a model. */
export interface PageProgress {
  total: number;
  completed: number;
  failed: number;
  layoutsDue: number;
}

/** How far a document is: `7 of 40 read, 1 failed`. */
export function explainPages({ total, completed, failed, layoutsDue }: PageProgress): string {
  const lost = failed > 0 ? `, ${failed} failed` : '';
  const due = layoutsDue > 0 ? `, ${layoutsDue} to be laid out` : '';
  return `${completed} of ${total} read${lost}${due}`;
}

/** "document page 0.2 rounded up per document" */
export const PAGES_A_CREDIT = 5;

/** Credits for reading a number of pages of a document. */
export function creditsForPages(pages: number): number {
  return Math.ceil(pages / PAGES_A_CREDIT);
}

/** Maximum number of page numbers in a message. */
export const NAMED_PAGES = 10;

/**
 * Why a document with unreadable pages is incomplete; undefined if no page is missing.
 *
 * @param first numbers of the first missing pages
 */
export function missingPages(
  failed: number,
  first: readonly number[],
  total: number,
): FailureReason | undefined {
  if (failed === 0) return undefined;
  const named = first.slice(0, NAMED_PAGES).join(', ');
  const what =
    failed === 1 ? `page ${named}` : `${failed} pages (${named}${failed > NAMED_PAGES ? ', …' : ''})`;
  return { code: 'PAGES_FAILED', message: `${what} of ${total} could not be read` };
}
