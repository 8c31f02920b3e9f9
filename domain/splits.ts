import { invalidField } from './app-error.ts';

export const SPLIT_STATUSES = ['processing', 'completed', 'failed', 'cancelled'] as const;
export type SplitStatus = (typeof SPLIT_STATUSES)[number];

/** Why rules see the beginning of a document on a page. */
export const SPLIT_REASONS = [
  'separator_page',
  'blank_page',
  'page_numbers',
  'letterhead',
  'appearance',
  'first_page',
  'reference',
] as const;
export type SplitReason = (typeof SPLIT_REASONS)[number];

/** Why a page belongs to no part. */
export const LEFT_OUT_REASONS = ['separator_page', 'blank_page'] as const;
export type LeftOutReason = (typeof LEFT_OUT_REASONS)[number];

/** Consecutive pages, numbered from 1. */
export interface PageRange {
  first: number;
  last: number;
}

/** Pages that become a file. */
export interface SplitPart extends PageRange {
  /** Empty for the first part, and for ranges that the caller has given. */
  reasons: SplitReason[];
  /** How sure the rules are that a document begins here, from 0 to 1; null where they were not asked. */
  confidence: number | null;
}

export interface LeftOutPage {
  page: number;
  reason: LeftOutReason;
}

/** How rules divide a document. */
export interface SplitProposal {
  parts: SplitPart[];
  leftOut: LeftOutPage[];
}

/** As in `ranges`, such as `3-5`. */
export const rangeText = ({ first, last }: PageRange): string =>
  first === last ? String(first) : `${first}-${last}`;

/**
 * The parts that ranges such as `1-3` or `4-` name, in the order of their pages.
 *
 * @param ranges each of the form that the schema of the request allows
 * @throws AppError VALIDATION_FAILED for pages that do not exist or are named twice, and for the whole document
 */
export function partsOfRanges(ranges: readonly string[], pageCount: number): SplitPart[] {
  const read = ranges.map((range, at) => {
    const [from = '', to] = range.split('-');
    const first = Number(from);
    const last = to === undefined ? first : to === '' ? pageCount : Number(to);
    const pointer = `/body/ranges/${at}`;
    if (Math.max(first, last) > pageCount)
      throw invalidField(pointer, `the document has ${pageCount} pages, so there is no "${range}"`);
    if (last < first) throw invalidField(pointer, `"${range}" ends before it begins`);
    return { first, last, pointer };
  });
  const inOrder = read.toSorted((one, other) => one.first - other.first);
  for (const [at, { first, pointer }] of inOrder.entries()) {
    const before = inOrder[at - 1];
    if (before && first <= before.last) throw invalidField(pointer, `page ${first} is in two ranges`);
  }
  const [only] = inOrder;
  if (inOrder.length === 1 && only?.first === 1 && only.last === pageCount)
    throw invalidField('/body/ranges', 'is the whole document, so there is nothing to divide');
  return inOrder.map(({ first, last }) => ({ first, last, reasons: [], confidence: null }));
}
