import type { z } from 'zod';
import type { HistoryFilter } from '../../../domain/exports/history.ts';
import type { HistoryItem, HistoryStatistics } from '../../../services/exports/history/read-history.ts';
import { variantUrl, type Presigner } from '../file/present.ts';
import type { historyItem, historyPage } from './schema.ts';

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

/** An empty list selects nothing, which is said as well. */
function inWords(
  list: readonly string[] | undefined,
  say: (list: readonly string[]) => string,
  none: string,
): string[] {
  if (list === undefined) return [];
  return [list.length > 0 ? say(list) : `${none}, which is nothing`];
}
