import type { HistoryFilter } from '../../../domain/exports/history.ts';
import { readHistory } from '../../../services/exports/history/read-history.ts';
import { clientGone } from '../../http/client-gone.ts';
import { json } from '../../http/responses.ts';
import { route } from '../../http/route.ts';
import { presentFilters, presentHistoryItem, presentStatistics } from '../../resources/history/present.ts';
import { historyPage, historyQuery, type HistoryQuery } from '../../resources/history/schema.ts';

export const historyRoute = route({
  method: 'get',
  path: '/data/descriptions',
  operationId: 'listDescriptions',
  summary: 'All generated descriptions, newest first, with statistics',
  tag: 'Exports',
  permit: 'files.read',
  query: historyQuery,
  responses: json(200, historyPage),
  errors: ['SEARCH_TIMEOUT'],
  async handle({ ctx, em, deps, principal: { tenantId }, query }) {
    const { limit, offset } = query;
    const filter = toFilter(query);
    const { items, statistics } = await deps.searches.run(tenantId, clientGone(ctx.res), () =>
      readHistory(em, tenantId, filter, { limit, offset, timeoutMs: deps.searchTimeoutMs }),
    );
    return {
      items: await Promise.all(items.map((item) => presentHistoryItem(deps.objects, item))),
      total_count: statistics.totalCount,
      limit,
      offset,
      has_more: offset + items.length < statistics.totalCount,
      statistics: presentStatistics(statistics),
      filters_applied: presentFilters(filter),
    };
  },
});

function toFilter(query: HistoryQuery): HistoryFilter {
  return {
    from: query.start_date?.toISOString(),
    to: query.end_date?.toISOString(),
    minConfidence: query.min_confidence,
    maxConfidence: query.max_confidence,
    terms: query.search,
    sourceTypes: query.source_types,
  };
}
