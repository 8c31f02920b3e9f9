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
