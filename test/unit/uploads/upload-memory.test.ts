import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { createUploadMemory } from '../../../services/uploads/streaming/upload-memory.ts';

const limits = { globalBytes: 2000, tenantBytes: 500 };

test('a tenant at its limit is rejected while others are served', () => {
  const memory = createUploadMemory(limits);
  assert.ok('release' in memory.reserve('a', 500));
  assert.deepEqual(memory.reserve('a', 1), { refused: 'tenant_limit' });
  assert.ok('release' in memory.reserve('b', 500));
});

test('at the global limit every tenant is rejected, whatever its own usage', () => {
  const memory = createUploadMemory(limits);
  for (const tenant of ['a', 'b', 'c', 'd']) memory.reserve(tenant, 500);
  assert.deepEqual(memory.reserve('e', 1), { refused: 'global_limit' });
});

test('released bytes can be reserved again, and a second release is a no-op', () => {
  const memory = createUploadMemory(limits);
  const first = memory.reserve('a', 300);
  memory.reserve('a', 200);
  assert.ok('release' in first);
  first.release();
  first.release();
  assert.equal(memory.inUse(), 200);
  assert.equal(memory.inUse('a'), 200);
  assert.ok('release' in memory.reserve('a', 300));
});

test('a size that is not a whole number of bytes is a programming error', () => {
  const memory = createUploadMemory(limits);
  for (const bytes of [-1, 0.5, Number.NaN, Infinity])
    assert.throws(() => memory.reserve('a', bytes), RangeError);
  assert.equal(memory.inUse(), 0);
});

test('in any order of reservations and releases, the sums are correct and the limits are respected', () => {
  const step = fc.oneof(
    fc.record({ tenant: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), bytes: fc.nat(600) }),
    fc.record({ release: fc.nat(50) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const memory = createUploadMemory(limits);
      const held: { tenant: string; bytes: number; release: () => void }[] = [];
      const released = new Set<number>();
      const expected = (tenant?: string) =>
        held.reduce(
          (sum, { bytes, ...one }, i) =>
            released.has(i) || (tenant && one.tenant !== tenant) ? sum : sum + bytes,
          0,
        );
      for (const step of steps) {
        if ('release' in step) {
          held[step.release]?.release();
          if (held[step.release]) released.add(step.release);
        } else {
          const fits =
            expected(step.tenant) + step.bytes <= limits.tenantBytes &&
            expected() + step.bytes <= limits.globalBytes;
          const outcome = memory.reserve(step.tenant, step.bytes);
          assert.equal('release' in outcome, fits);
          if ('release' in outcome) held.push({ ...step, release: outcome.release });
        }
        assert.equal(memory.inUse(), expected());
        for (const tenant of ['a', 'f']) assert.equal(memory.inUse(tenant), expected(tenant));
      }
      for (const { release } of held) release();
      assert.equal(memory.inUse(), 0);
    }),
  );
});
