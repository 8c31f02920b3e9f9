import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  MAX_MULTIPART_BYTES,
  MAX_PART_BYTES,
  MAX_PARTS,
  MAX_SINGLE_SHOT_BYTES,
  MIN_MULTIPART_BYTES,
  MIN_PART_BYTES,
  partSize,
  planUpload,
} from '../../../domain/uploads/upload-plan.ts';

const size = fc.integer({ min: 1, max: MAX_MULTIPART_BYTES });

test('every size has a default plan, whose parts add up to the file', () => {
  fc.assert(
    fc.property(size, (sizeBytes) => {
      const plan = planUpload({ sizeBytes });
      assert.ok('mode' in plan);
      if (plan.mode === 'single_shot') return assert.ok(sizeBytes <= MAX_SINGLE_SHOT_BYTES);
      const layout = { sizeBytes, ...plan };
      const last = partSize(layout, plan.totalParts);
      assert.ok(plan.totalParts <= MAX_PARTS);
      assert.ok(plan.partSizeBytes >= MIN_PART_BYTES && plan.partSizeBytes <= MAX_PART_BYTES);
      assert.ok(last >= 1 && last <= plan.partSizeBytes);
      return assert.equal(
        (plan.totalParts - 1) * partSize(layout, 1) * Number(plan.totalParts > 1) + last,
        sizeBytes,
      );
    }),
  );
});

test('a requested plan is used unchanged, or rejected with the field to correct', () => {
  const partSizeBytes = fc.option(fc.integer({ min: 1, max: 2 * MAX_PART_BYTES }), { nil: undefined });
  const mode = fc.constantFrom('single_shot' as const, 'multipart' as const, undefined);
  fc.assert(
    fc.property(size, mode, partSizeBytes, (sizeBytes, wanted, part) => {
      const plan = planUpload({ sizeBytes, mode: wanted, partSizeBytes: part });
      if ('problem' in plan) return assert.ok(plan.problem.message);
      if (wanted) assert.equal(plan.mode, wanted);
      if (part !== undefined) assert.equal(plan.mode === 'multipart' && plan.partSizeBytes, part);
      return undefined;
    }),
  );
});

test('the limits are exact to the byte', () => {
  const problem = (wish: Parameters<typeof planUpload>[0]) => {
    const plan = planUpload(wish);
    return 'problem' in plan ? plan.problem.field : undefined;
  };
  const single = 'single_shot' as const;
  const multipart = 'multipart' as const;
  assert.equal(problem({ sizeBytes: MAX_SINGLE_SHOT_BYTES, mode: single }), undefined);
  assert.equal(problem({ sizeBytes: MAX_SINGLE_SHOT_BYTES + 1, mode: single }), 'size_bytes');
  assert.equal(problem({ sizeBytes: MIN_MULTIPART_BYTES, mode: multipart }), undefined);
  assert.equal(problem({ sizeBytes: MIN_MULTIPART_BYTES - 1, mode: multipart }), 'upload_mode');
  assert.equal(problem({ sizeBytes: MAX_MULTIPART_BYTES }), undefined);
  assert.equal(problem({ sizeBytes: MAX_MULTIPART_BYTES + 1 }), 'size_bytes');
  const full = MAX_PARTS * MIN_PART_BYTES;
  assert.equal(problem({ sizeBytes: full, partSizeBytes: MIN_PART_BYTES }), undefined);
  assert.equal(problem({ sizeBytes: full + 1, partSizeBytes: MIN_PART_BYTES }), 'part_size_bytes');
  assert.equal(problem({ sizeBytes: full, partSizeBytes: MIN_PART_BYTES - 1 }), 'part_size_bytes');
  assert.equal(problem({ sizeBytes: full, partSizeBytes: MAX_PART_BYTES + 1 }), 'part_size_bytes');
  assert.equal(problem({ sizeBytes: 10, mode: single, partSizeBytes: MIN_PART_BYTES }), 'part_size_bytes');
});
