import type { FailureReason } from '../components.ts';

/** Page numbers that a message names. */
export const NAMED_PAGES = 10;

/**
 * Why a document is incomplete of which some pages could not be read; undefined if none is missing.
 *
 * @param first numbers of the first ones
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
