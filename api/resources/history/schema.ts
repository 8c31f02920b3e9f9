import { z } from 'zod';
import { HISTORY_METADATA, SOURCE_TYPES } from '../../../domain/exports/history.ts';
import { MAX_HISTORY_PAGE, MAX_HISTORY_TERMS } from '../../../domain/limits.ts';
import { listParameter, instantOrDay, page } from '../../../domain/schemas/query.ts';
import { count, timestamp, url } from '../fields.ts';

const MAX_LIST_LENGTH = 4000;

/** A list in one parameter, with commas between. */
const commaSeparated = z
  .string()
  .max(MAX_LIST_LENGTH, `at most ${MAX_LIST_LENGTH} characters`)
  .transform((given) => [
    ...new Set(
      given
        .split(',')
        .map((one) => one.trim())
        .filter((one) => one !== ''),
    ),
  ]);

const score = 'must be a number from 0 to 1';
const confidence = z.coerce.number(score).min(0, score).max(1, score);
const sourceType = z.enum(SOURCE_TYPES);

export const historyQuery = z
  .object({
    start_date: instantOrDay('start').optional(),
    end_date: instantOrDay('end').optional(),
    min_confidence: confidence.optional(),
    max_confidence: confidence.optional(),
    search: commaSeparated
      .refine((terms) => terms.length <= MAX_HISTORY_TERMS, `at most ${MAX_HISTORY_TERMS} terms`)
      .optional()
      .meta({
        override: { type: 'string' },
        description:
          'Terms with commas between, all of which must occur in the description, the title or the file name',
      }),
    source_types: listParameter(
      commaSeparated
        .pipe(z.array(sourceType))
        .optional()
        .meta({
          override: { type: 'string' },
          description: 'How the files arrived, with commas between; given without a value: no records',
        }),
    ),
    ...page(MAX_HISTORY_PAGE, 100),
  })
  .refine(({ start_date: from, end_date: to }) => !from || !to || from <= to, {
    path: ['end_date'],
    message: 'must not be before start_date',
  })
  .refine(({ min_confidence: from = 0, max_confidence: to = 1 }) => from <= to, {
    path: ['max_confidence'],
    message: 'must not be below min_confidence',
  });
export type HistoryQuery = z.output<typeof historyQuery>;

const metadata = z
  .object(
    Object.fromEntries(HISTORY_METADATA.map((name) => [name, z.unknown()])) as Record<
      (typeof HISTORY_METADATA)[number],
      z.ZodUnknown
    >,
  )
  .meta({ description: 'What is known of the file and of the model' });

export const historyPage = z
  .object({
    items: z.array(
      z
        .object({
          id: z.uuid(),
          type: z.literal('description'),
          source_type: sourceType,
          source_id: z
            .uuid()
            .meta({ description: 'Id of the upload session, or of the file if it came alone' }),
          created_at: timestamp,
          image_url: url,
          description: z.string(),
          confidence_score: z.number().nullable().meta({ description: 'Null for descriptions' }),
          verification: z.null().meta({ description: 'Always null: nothing is verified yet' }),
          image_id: z.uuid().meta({ description: 'Id of the file' }),
          metadata,
        })
        .meta({ id: 'HistoryItem' }),
    ),
    total_count: count,
    limit: count,
    offset: count,
    has_more: z.boolean(),
    statistics: z
      .object({
        total_count: count,
        average_confidence: z.number().nullable().meta({ description: 'Null where nothing has a score' }),
        confidence_distribution: z
          .record(z.string(), count)
          .meta({ description: 'Records by range of their score; those without a score are in none' }),
        daily_counts: z
          .array(z.object({ date: z.iso.date().meta({ description: 'Day of UTC' }), count }))
          .meta({ description: 'Days that have records, oldest first' }),
        source_distribution: z.record(z.string(), count).meta({ description: 'Records by source_type' }),
      })
      .meta({ description: 'Of all records that the filters select' }),
    filters_applied: z
      .object({
        date_range_applied: z.boolean().meta({ description: 'Whether start_date or end_date filter' }),
        confidence_range_applied: z
          .boolean()
          .meta({ description: 'Whether min_confidence or max_confidence filter' }),
        search_applied: z.boolean().meta({ description: 'Whether terms filter' }),
        source_types_filtered: z
          .array(sourceType)
          .meta({ description: 'Those asked for; none: all, or nothing as the summary says' }),
        filter_summary: z.string().meta({ description: 'The filters in words' }),
      })
      .meta({ description: 'What the filters were understood as' }),
  })
  .meta({ id: 'HistoryPage' });
