import assert from 'node:assert/strict';
import { test } from 'node:test';
import { thresholdsReached } from '../../../domain/accounts/credits.ts';
import { UNLIMITED } from '../../../domain/accounts/tiers.ts';
import { billingPeriod } from '../../../domain/usage/periods.ts';
import { extrapolate, projectMonth, shareOf } from '../../../domain/usage/projections.ts';
import { recommend, type UsageFacts } from '../../../domain/usage/recommendations.ts';

const at = new Date('2028-02-15T12:00Z');
const month = billingPeriod('month', at);
const facts = { used: 290, limit: 500, lastWeek: 140, weekBefore: 140 };

test('a month is projected from its daily average', () => {
  assert.deepEqual(projectMonth(facts, month, at), {
    projected: 580,
    trend: 'stable',
    willExceed: true,
    projectedPercentage: 116,
  });
  const first = projectMonth({ ...facts, used: 10 }, month, new Date('2028-02-01T00:30Z'));
  assert.equal(first.projected, 290, 'the first day counts as a whole day');
  const last = projectMonth({ ...facts, used: 10 }, month, new Date('2028-02-29T23:59:59.999Z'));
  assert.equal(last.projected, 10);
  const unlimited = projectMonth({ ...facts, limit: UNLIMITED }, month, at);
  assert.deepEqual([unlimited.willExceed, unlimited.projectedPercentage], [false, 0]);
});

test('a projection of requests is in requests, and never below those made', () => {
  assert.deepEqual(extrapolate(1701, month, at), { projected: 3402, dailyAverage: 117.31 });
  assert.equal(extrapolate(1701, month, new Date('2028-02-29T23:59:59.999Z')).projected, 1701);
  assert.equal(extrapolate(1701, month, month.from).projected, 1701 * 29);
});

test('a trend is a change of the weekly average by more than a tenth', () => {
  const trendOf = (lastWeek: number, weekBefore: number) =>
    projectMonth({ ...facts, lastWeek, weekBefore }, month, at).trend;
  assert.deepEqual(
    [trendOf(0, 0), trendOf(110, 100), trendOf(111, 100), trendOf(90, 100), trendOf(89, 100), trendOf(1, 0)],
    ['stable', 'stable', 'increasing', 'stable', 'decreasing', 'increasing'],
  );
});

test('shares are in percent, with two decimals', () => {
  assert.deepEqual(
    [shareOf(1, 3), shareOf(5, UNLIMITED), shareOf(0, 0), shareOf(2, 0), shareOf(60, 50)],
    [33.33, 0, 0, 100, 120],
  );
});

test('thresholds are reached at 80 and 100 percent', () => {
  assert.deepEqual(
    [79, 80, 99, 100, 130].map((used) => thresholdsReached(100, used)),
    [[], [80], [80], [80, 100], [80, 100]],
  );
  assert.deepEqual(thresholdsReached(0, 0), []);
});

const calm: UsageFacts = {
  tier: 'starter',
  usedPercentage: 10,
  projection: {
    projected: 100,
    trend: 'stable',
    willExceed: false,
    projectedPercentage: 10,
  },
  requests: 1000,
  failedRequests: 10,
  singleDescriptions: 5,
  batchDescriptions: 5,
  byLevel: new Map(),
};

test('a calm month gets no recommendations', () => {
  assert.deepEqual(recommend(calm), {
    suggestions: [],
    upgrade: { suggested: false, reason: null, nextPlan: null, benefits: [] },
  });
});

test('each recommendation follows its rule', () => {
  const suggested = (changed: Partial<UsageFacts>) =>
    recommend({ ...calm, ...changed }).suggestions.join('\n');
  const exceeding = { ...calm.projection, willExceed: true, projected: 1200 };
  assert.match(suggested({ usedPercentage: 80 }), /^80 % of this month's credits/);
  assert.match(suggested({ projection: exceeding }), /run out before the month ends/);
  assert.match(suggested({ failedRequests: 50 }), /^50 of 1000 requests failed/);
  assert.equal(
    suggested({ requests: 99, failedRequests: 99 }),
    '',
    'there are too few requests for a recommendation',
  );
  assert.match(suggested({ singleDescriptions: 20, batchDescriptions: 0 }), /upload\/batch/);
  assert.match(
    suggested({
      byLevel: new Map([
        ['critical', 10],
        ['quick', 10],
      ]),
    }),
    /thorough or critical/,
  );
  assert.equal(
    suggested({
      byLevel: new Map([
        ['critical', 9],
        ['quick', 11],
      ]),
    }),
    '',
  );

  const { upgrade } = recommend({ ...calm, projection: exceeding });
  assert.deepEqual([upgrade.suggested, upgrade.nextPlan], [true, 'professional']);
  assert.deepEqual(upgrade.benefits, [
    '10000 credits a month',
    '100 requests a minute',
    '100 files in a batch',
  ]);
  assert.ok(recommend({ ...calm, tier: 'free', usedPercentage: 90 }).upgrade.benefits.includes('API keys'));
  assert.equal(recommend({ ...calm, tier: 'enterprise', usedPercentage: 90 }).upgrade.suggested, false);
});
