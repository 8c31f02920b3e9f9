import { checkCredits, readPlan } from '../../../services/usage/read-plan.ts';
import { readBreakdown } from '../../../services/usage/read-breakdown.ts';
import { json } from '../../http/responses.ts';
import { route } from '../../http/route.ts';
import { presentBreakdown, presentCheck, presentPlan } from '../../resources/usage/present.ts';
import { checkBody, planQuery } from '../../resources/usage/query.ts';
import { creditCheck, usageBreakdown, usagePlan } from '../../resources/usage/schema.ts';

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
    responses: json(200, creditCheck),
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
    responses: json(200, usageBreakdown),
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
    responses: json(200, usagePlan),
    handle: ({ em, principal, query }) => readPlan(em, principal, query.period),
    present: (plan, { principal, query }) => presentPlan(plan, principal.tier, query.include_projections),
  }),
];
