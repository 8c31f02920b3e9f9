import { checkCredits, readPlan } from '../../../services/usage/read-plan.ts';
import { readBreakdown } from '../../../services/usage/read-breakdown.ts';
import { route } from '../../http/route.ts';
import { presentBreakdown, presentCheck, presentPlan } from '../../resources/usage/present.ts';
import { checkBody, planQuery, monthQuery, tokensQuery } from '../../resources/usage/query.ts';
import { creditCheck, usageBreakdown, usagePlan } from '../../resources/usage/schema.ts';
import { listFileTokens, readTokens } from '../../../services/usage/read-tokens.ts';
import {
  conversationTokens,
  fileTokens,
  monthlyTokens,
  presentFileTokens,
  presentMonthlyTokens,
} from '../../resources/usage/tokens.ts';

/** The credits of the month, and the plan. */
export const usageCreditRoutes = [
  route({
    method: 'post',
    path: '/usage/check',
    operationId: 'checkCredits',
    summary: "Whether this month's credits suffice for a number of operations",
    tag: 'Usage',
    permit: 'usage.read',
    limit: { requests: 60, per: 'minute' },
    body: checkBody,
    answers: { 200: creditCheck },
    handle: ({ em, principal, body }) =>
      checkCredits(em, principal, { level: body.verification_level, items: body.item_count }),
    present: presentCheck,
  }),

  route({
    method: 'get',
    path: '/usage/breakdown',
    operationId: 'getUsageBreakdown',
    summary: "The use of this month's credits",
    tag: 'Usage',
    permit: 'usage.read',
    limit: { requests: 30, per: 'minute' },
    answers: { 200: usageBreakdown },
    handle: ({ em, principal }) => readBreakdown(em, principal),
    present: presentBreakdown,
  }),

  route({
    method: 'get',
    path: '/usage/plan',
    operationId: 'getUsagePlan',
    summary: 'The plan, its use, and a projection for the month',
    tag: 'Usage',
    permit: 'usage.read',
    limit: { requests: 30, per: 'minute' },
    query: planQuery,
    answers: { 200: usagePlan },
    handle: ({ em, principal, query }) => readPlan(em, principal, query.period),
    present: (plan, { principal, query }) => presentPlan(plan, principal.tier, query.include_projections),
  }),
];

const LIMIT = { requests: 30, per: 'minute' } as const;

/** Token usage of models. */
export const usageTokenRoutes = [
  route({
    method: 'get',
    path: '/usage/tokens/monthly',
    operationId: 'getMonthlyTokens',
    summary: 'Tokens of one month by operation',
    tag: 'Usage',
    permit: 'usage.read',
    limit: LIMIT,
    query: monthQuery,
    answers: { 200: monthlyTokens },
    async handle({ em, principal: { tenantId }, query }) {
      const now = new Date();
      const { year = now.getUTCFullYear(), month = now.getUTCMonth() + 1 } = query;
      const range = { from: firstOf(year, month), to: firstOf(year, month + 1) };
      return presentMonthlyTokens(await readTokens(em, { tenantId, range }), { year, month });
    },
  }),

  route({
    method: 'get',
    path: '/usage/tokens/files',
    operationId: 'listFileTokens',
    summary: 'Tokens of operations on files, newest first',
    tag: 'Usage',
    permit: 'usage.read',
    limit: LIMIT,
    query: tokensQuery,
    answers: { 200: fileTokens },
    handle: ({ em, principal, query }) => listFileTokens(em, principal.tenantId, query),
    present: presentFileTokens,
  }),

  route({
    method: 'get',
    path: '/usage/tokens/conversations',
    operationId: 'listConversationTokens',
    summary: 'Tokens of conversations; always empty',
    tag: 'Usage',
    permit: 'usage.read',
    limit: LIMIT,
    query: tokensQuery,
    answers: { 200: conversationTokens },
    handle: () =>
      Promise.resolve({ conversations: [], total_count: 0, total_input_tokens: 0, total_output_tokens: 0 }),
  }),
];

/** The beginning of a month (UTC); month 13 is the first of the next year. */
function firstOf(year: number, month: number): Date {
  // Date.UTC interprets years below 100 as 1900 to 1999.
  const first = new Date(Date.UTC(2000, month - 1, 1));
  first.setUTCFullYear(year + (month > 12 ? 1 : 0));
  return first;
}
