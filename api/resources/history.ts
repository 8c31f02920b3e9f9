import { z } from 'zod';
import { HISTORY_METADATA, type HistoryMetadata, type HistoryFilter } from '../../domain/exports/history.ts';
import { MAX_HISTORY_PAGE, MAX_HISTORY_TERMS } from '../../domain/limits.ts';
import { listParameter, instantOrDay, page } from '../../domain/schemas/query.ts';
import { componentField, count, createdAt, pageOf, url } from './fields.ts';
import type { HistoryItem, HistoryStatistics } from '../../services/exports/history/read-history.ts';
import { variantUrl, type Presigner } from './file/present.ts';
import { sourceType } from './enums.ts';

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

export const historyQuery = z
  .object({
    start_date: instantOrDay('start')
      .optional()
      .describe('Records from then on; an ISO 8601 date, or date and time, in UTC unless it has an offset'),
    end_date: instantOrDay('end')
      .optional()
      .describe('Records until then; an ISO 8601 date, or date and time, in UTC unless it has an offset'),
    min_confidence: confidence
      .optional()
      .describe('Lowest score of a record; records without a score are left out'),
    max_confidence: confidence
      .optional()
      .describe('Highest score of a record; records without a score are left out'),
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

const METADATA: Readonly<Record<HistoryMetadata, string>> = {
  filename: 'Name of the file, without folders',
  title: 'Title of the file; null if none was given',
  tags: 'Keywords of the file',
  media_type: 'Medium of the file',
  content_type: 'MIME type of the file',
  content_category: 'What the content is',
  provider: 'Provider of the model',
  model: 'Model that made the description',
  prompt_version: 'Version of the prompt',
  generation: 'Number of the run that made it, from 1',
  input_tokens: 'Tokens that the model read; null if unknown',
  output_tokens: 'Tokens that the model wrote; null if unknown',
};
const metadata = z
  .object(
    Object.fromEntries(
      HISTORY_METADATA.map((name) => [name, z.unknown().describe(METADATA[name])]),
    ) as Record<HistoryMetadata, z.ZodUnknown>,
  )
  .describe('Facts about the file and the model');

const historyItem = z
  .object({
    id: z.uuid().describe('Id of the record'),
    type: z.literal('description').describe('Kind of the record'),
    source_type: sourceType.describe('How the file arrived: alone, or in an upload session'),
    source_id: z.uuid().describe('Id of the upload session, or of the file if it came alone'),
    created_at: createdAt,
    image_url: url.describe('Temporary URL of the image; null if there is none'),
    description: z.string().describe('Description by the model'),
    confidence_score: z.number().nullable().describe('Always null: descriptions have no score'),
    verification: z.null().describe('Always null: nothing is verified yet'),
    image_id: z.uuid().describe('Id of the file'),
    metadata,
  })
  .meta({ id: 'HistoryItem' });

const counts = z.record(z.string(), count).meta({ id: 'Counts' });

export const historyPage = z
  .object({
    ...pageOf(historyItem),
    statistics: z
      .object({
        total_count: count.describe('Number of records'),
        average_confidence: z.number().nullable().describe('Mean of the scores; null if nothing has one'),
        confidence_distribution: componentField(counts, 'Number of records by range of their score'),
        daily_counts: z
          .array(
            z.object({
              date: z.iso.date().describe('Day of UTC'),
              count: count.describe('Number of records of the day'),
            }),
          )
          .describe('Number of records of each day that has any, oldest first'),
        source_distribution: componentField(counts, 'Number of records by `source_type`'),
      })
      .describe('Statistics of all records that the filters select'),
    filters_applied: z
      .object({
        date_range_applied: z.boolean().describe('Whether start_date or end_date filter'),
        confidence_range_applied: z.boolean().describe('Whether min_confidence or max_confidence filter'),
        search_applied: z.boolean().describe('Whether terms filter'),
        source_types_filtered: z
          .array(sourceType)
          .describe('Source types asked for; empty: all, or none, as the summary says'),
        filter_summary: z.string().describe('The filters in words'),
      })
      .describe('Filters as they were understood'),
  })
  .meta({ id: 'HistoryPage' });

/** Ranges of scores; nothing has a score yet. */
const RANGES = ['0.0-0.2', '0.2-0.4', '0.4-0.6', '0.6-0.8', '0.8-1.0'] as const;

export async function presentHistoryItem(
  objects: Presigner,
  item: HistoryItem,
): Promise<z.input<typeof historyItem>> {
  return {
    id: item.id,
    type: 'description' as const,
    source_type: item.sourceType,
    source_id: item.sourceId,
    created_at: item.createdAt,
    image_url: item.variant ? await variantUrl(objects, item.variant) : null,
    description: item.description,
    confidence_score: null,
    verification: null,
    image_id: item.fileId,
    metadata: item.metadata,
  };
}

export function presentStatistics({
  totalCount,
  dailyCounts,
  bySource,
}: HistoryStatistics): z.input<typeof historyPage>['statistics'] {
  return {
    total_count: totalCount,
    average_confidence: null,
    confidence_distribution: Object.fromEntries(RANGES.map((range) => [range, 0])),
    daily_counts: dailyCounts,
    source_distribution: bySource,
  };
}

export function presentFilters(filter: HistoryFilter): z.input<typeof historyPage>['filters_applied'] {
  const { from, to, minConfidence, maxConfidence, terms, sourceTypes } = filter;
  const dated = from !== undefined || to !== undefined;
  const scored = minConfidence !== undefined || maxConfidence !== undefined;
  const words = [
    ...(from === undefined ? [] : [`from ${from}`]),
    ...(to === undefined ? [] : [`until ${to}`]),
    ...(scored ? [`confidence from ${minConfidence ?? 0} to ${maxConfidence ?? 1}`] : []),
    ...inWords(terms, (all) => all.map((term) => `with “${term}”`).join(', '), 'with no term'),
    ...inWords(sourceTypes, (all) => `source ${all.join(' or ')}`, 'from no source'),
  ];
  return {
    date_range_applied: dated,
    confidence_range_applied: scored,
    search_applied: terms !== undefined,
    source_types_filtered: [...(sourceTypes ?? [])],
    filter_summary: words.length > 0 ? words.join(', ') : 'no filters',
  };
}

/** An empty list selects nothing; the text states that, too. */
function inWords(
  list: readonly string[] | undefined,
  say: (list: readonly string[]) => string,
  none: string,
): string[] {
  if (list === undefined) return [];
  return [list.length > 0 ? say(list) : `${none}, which is nothing`];
}
