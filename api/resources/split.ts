import { z } from 'zod';
import { MAX_SPLIT_PARTS, MAX_SPLITS_OF_FILE } from '../../domain/limits.ts';
import { page } from '../../domain/schemas/query.ts';
import { optional, optionalWith } from '../../domain/schemas/text.ts';
import { rangeText } from '../../domain/splits.ts';
import type { SplitState } from '../../services/splits/find-split.ts';
import { leftOutReason, splitReason, splitStatus } from './enums.ts';
import { completedAt, count, errorMessage, fileId, idParam, pageOf, timestamp } from './fields.ts';

/** `3`, `1-3` or `4-`, without leading zeros. */
const RANGE = /^[1-9][0-9]{0,4}(?:-(?:[1-9][0-9]{0,4})?)?$/;

export const splitBody = z.strictObject({
  ranges: optional(
    z
      .array(z.string().regex(RANGE, 'must be a page or a range of pages, such as 7, 1-3 or 4-'))
      .min(1, 'at least one range')
      .max(MAX_SPLIT_PARTS, `at most ${MAX_SPLIT_PARTS} ranges`),
  ).meta({
    description:
      'The pages of each part, such as `["1-3", "4-"]`. They must not overlap; pages that none of them names become no file. ' +
      'Without them, rules look for the documents',
  }),
  dry_run: optionalWith(z.boolean(), false).meta({
    description: 'Only propose the parts; nothing is stored and nothing is charged',
  }),
  keep_separators: optionalWith(z.boolean(), false).meta({
    description:
      'Whether rules give separator pages to the document after them; by default they are left out. No effect with `ranges`',
  }),
});

export const splitParams = z.object({ split_id: idParam('Id of the split') });
export const splitListQuery = z.object(page(MAX_SPLITS_OF_FILE, 20));

const pages = z.string().describe('The pages, such as `3-5`');

const splitPart = z
  .object({
    pages,
    reasons: z
      .array(splitReason)
      .describe(
        'Why the rules see the beginning of a document there; empty for the first part and for given ranges',
      ),
    confidence: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .describe('How sure the rules are of that; null for the first part and for given ranges'),
    file_id: fileId.nullable().describe('The file that it has become; null before, and once that is deleted'),
  })
  .meta({ id: 'SplitPart' });

export const splitRecord = z
  .object({
    split_id: z.uuid().describe('Id of the split'),
    file_id: fileId.describe('The document that is divided'),
    status: splitStatus.describe('State of the split'),
    by_rules: z.boolean().describe('Whether rules have looked for the parts'),
    dry_run: z.boolean().describe('Whether parts are only proposed'),
    keep_separators: z.boolean().describe('Whether rules give separator pages to the document after them'),
    parts: z
      .array(splitPart)
      .nullable()
      .describe('The parts in the order of their pages; null until the rules have found them'),
    left_out: z
      .array(
        z
          .object({
            page: z.int().min(1).describe('Number of the page'),
            reason: leftOutReason.describe('What it is'),
          })
          .meta({ id: 'LeftOutPage' }),
      )
      .describe('Pages that the rules give to no part, because they only separate documents'),
    stored_parts: count.describe('How many parts are files'),
    error_message: errorMessage.describe(
      'Human-readable reason of the failure, or why a proposal lacks parts; null without one',
    ),
    created_at: timestamp.describe('When it was accepted'),
    completed_at: completedAt,
  })
  .meta({ id: 'DocumentSplit' });

export const splitList = z.object(pageOf(splitRecord)).meta({ id: 'DocumentSplitList' });

export function presentSplit({ row, files }: SplitState) {
  const parts = row.parts?.map((part) => ({
    pages: rangeText(part),
    reasons: part.reasons,
    confidence: part.confidence,
    file_id: files.get(rangeText(part)) ?? null,
  }));
  return {
    split_id: row.id,
    file_id: row.fileId,
    status: row.status,
    by_rules: row.byRules,
    dry_run: row.dryRun,
    keep_separators: row.keepSeparators,
    parts: parts ?? null,
    left_out: row.leftOut,
    stored_parts: parts?.filter(({ file_id: id }) => id !== null).length ?? 0,
    error_message: row.error?.message ?? null,
    created_at: row.createdAt.toISOString(),
    completed_at: row.completedAt?.toISOString() ?? null,
  };
}
