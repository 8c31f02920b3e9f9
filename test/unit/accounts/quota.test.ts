import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { checkQuota } from '../../../domain/accounts/quota.ts';
import { TIER_LIMITS, TIERS } from '../../../domain/accounts/tiers.ts';

const memory = { uploadMemory: 500_000_000, uploadBuffer: 10_485_760 };
const check = ({ tier = 'starter', ...facts }: Partial<Parameters<typeof checkQuota>[0]>) => {
  const { creditsPerMonth } = TIER_LIMITS[tier];
  return checkQuota({
    tier,
    files: 1,
    creditsPerMonth,
    creditsPerFile: 1,
    used: 0,
    prepaid: 0,
    ...memory,
    ...facts,
  });
};

test('the last credit can be spent, but not one more', () => {
  const last = check({ files: 10, used: 990 });
  assert.deepEqual([last.canProceed, last.available, last.message], [true, 10, null]);
  const beyond = check({ files: 11, used: 990 });
  assert.equal(beyond.canProceed, false);
  assert.equal(beyond.message, '11 credits needed, 10 of 1000 left this month (1 short)');
});

test('the message for one credit uses the singular', () => {
  const { message } = check({ used: 1000 });
  assert.equal(message, '1 credit needed, 0 of 1000 left this month (1 short)');
});

test('prepaid credits are added to the monthly ones', () => {
  assert.equal(check({ files: 15, used: 990, prepaid: 5 }).canProceed, true);
  assert.equal(check({ files: 16, used: 990, prepaid: 5 }).canProceed, false);
});

test('an account over its limit has 0 credits left, not a negative number', () => {
  assert.equal(check({ tier: 'free', used: 80 }).available, 0);
});

test('the number of concurrent uploads is the number of whole buffers within the memory limit', () => {
  assert.equal(check({}).maxConcurrentUploads, 47);
});

test('only an account that cannot proceed gets a message, and an unlimited one never does', () => {
  const facts = fc.record({
    tier: fc.constantFrom(...TIERS),
    files: fc.integer({ min: 1, max: 1e9 }),
    used: fc.nat(20_000),
  });
  fc.assert(
    fc.property(facts, (given) => {
      const { canProceed, message, available } = check(given);
      assert.equal(message === null, canProceed);
      const limit = TIER_LIMITS[given.tier].creditsPerMonth;
      assert.equal(canProceed, limit === -1 || given.files + given.used <= limit);
      assert.ok(available >= -1);
    }),
  );
});
