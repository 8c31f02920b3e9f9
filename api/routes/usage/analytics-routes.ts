import { USAGE_EVENT_TYPES } from '../../../domain/operations.ts';
import { startOf } from '../../../domain/usage/periods.ts';
import { listUsageEvents } from '../../../services/usage/read-events.ts';
import { readRequestsOverTime, readTopEndpoints } from '../../../services/usage/read-requests-over-time.ts';
import { readSummary } from '../../../services/usage/read-summary.ts';
import { route } from '../../http/route.ts';
import {
  presentEvent,
  presentOverTime,
  presentSummary,
  presentTopEndpoints,
} from '../../resources/usage/present.ts';
import {
  detailsQuery,
  overTimeQuery,
  rangeOf,
  summaryQuery,
  topEndpointsQuery,
} from '../../resources/usage/query.ts';
import { topEndpoints, usageDetails, usageOverTime, usageSummary } from '../../resources/usage/schema.ts';

const LIMIT = { requests: 30, per: 'minute' } as const;
/** The default start of the period, by bucket size, which yields a useful number of buckets. */
const START_OF = { hour: 'day', day: 'month', month: 'year' } as const;

/** Usage by time, key and endpoint. */
export const usageAnalyticsRoutes = [
  route({
    method: 'get',
    path: '/usage/summary',
    operationId: 'getUsageSummary',
    summary: 'Requests, operations and credits in a period, and the credits left this month',
    tag: 'Usage',
    permit: 'usage.read',
    limit: LIMIT,
    query: summaryQuery,
    answers: { 200: usageSummary },
    async handle({ em, principal, query }) {
      const range = rangeOf(query, (end) => startOf(query.period, end));
      const summary = await readSummary(em, principal, { range, apiKeyId: query.api_key_id });
      return presentSummary(summary, range, principal.tier);
    },
  }),

  route({
    method: 'get',
    path: '/usage/details',
    operationId: 'listUsageEvents',
    summary: 'List requests and operations, newest first',
    tag: 'Usage',
    permit: 'usage.read',
    limit: LIMIT,
    query: detailsQuery,
    answers: { 200: usageDetails },
    async handle({ em, principal, query }) {
      const { page, page_size: limit, operation_type: type } = query;
      const filter = {
        tenantId: principal.tenantId,
        range: rangeOf(query, () => new Date(0)),
        apiKeyId: query.api_key_id,
        types: type && USAGE_EVENT_TYPES.filter((known) => known === type),
      };
      const { events, totalCount } = await listUsageEvents(em, filter, { limit, offset: (page - 1) * limit });
      const pagination = {
        page,
        page_size: limit,
        total_count: totalCount,
        total_pages: Math.ceil(totalCount / limit),
      };
      return { events: events.map(presentEvent), pagination };
    },
  }),

  route({
    method: 'get',
    path: '/usage/by-period',
    operationId: 'getUsageOverTime',
    summary: 'Requests by hour, day or month',
    tag: 'Usage',
    permit: 'usage.read',
    limit: LIMIT,
    query: overTimeQuery,
    answers: { 200: usageOverTime },
    async handle({ em, principal: { tenantId }, query }) {
      const { period_type: bucket, api_key_id: apiKeyId } = query;
      const range = rangeOf(query, (end) => startOf(START_OF[bucket], end));
      const counts = await readRequestsOverTime(em, { tenantId, range, apiKeyId }, bucket);
      return presentOverTime(counts, bucket, range);
    },
  }),

  route({
    method: 'get',
    path: '/usage/top-endpoints',
    operationId: 'listTopEndpoints',
    summary: 'The endpoints with most requests, by default in this month',
    tag: 'Usage',
    permit: 'usage.read',
    limit: LIMIT,
    query: topEndpointsQuery,
    answers: { 200: topEndpoints },
    handle: ({ em, principal: { tenantId }, query }) =>
      readTopEndpoints(em, { tenantId, range: rangeOf(query, (end) => startOf('month', end)) }, query.limit),
    present: presentTopEndpoints,
  }),
];
