/** Status of one page, and of the pages of a document together. */
export const PAGE_STATUSES = ['pending', 'processing', 'completed', 'failed'] as const;
export type PageStatus = (typeof PAGE_STATUSES)[number];

/** How many pages of a document have which status. */
export type PageCounts = Readonly<Record<PageStatus, number>>;

/**
 * The status of a document's pages together: completed once each page has ended and one of them could be read.
 *
 * @param ended whether its text extraction has ended, so that no page will follow
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
