import type { FailureReason } from '../components.ts';

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
