import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { planTransfers } from '../../../cli/ingest/plan-transfers.ts';

const files = fc
  .array(fc.nat(5000), { maxLength: 300 })
  .map((sizes) => sizes.map((sizeBytes, index) => ({ name: index, path: `${index}.jpg`, sizeBytes })));
const limits = fc.record({
  batchFiles: fc.integer({ min: 1, max: 50 }),
  batchBytes: fc.integer({ min: 1, max: 6000 }),
  directOverBytes: fc.nat(5000),
});

test('every file is in exactly one transfer, in the given order', () => {
  fc.assert(
    fc.property(files, limits, (given, limit) => {
      const { batches, directs } = planTransfers(given, limit);
      const byName = [...batches.flat(), ...directs].toSorted((a, b) => a.name - b.name);
      assert.deepEqual(byName, given);
      for (const group of [batches.flat(), directs]) {
        assert.deepEqual(
          group,
          group.toSorted((a, b) => a.name - b.name),
        );
      }
    }),
  );
});

test('no transfer exceeds a limit, and none is empty', () => {
  fc.assert(
    fc.property(files, limits, (given, limit) => {
      const { batches, directs } = planTransfers(given, limit);
      for (const batch of batches) {
        const bytes = batch.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
        assert.ok(batch.length > 0 && batch.length <= limit.batchFiles);
        assert.ok(bytes <= limit.batchBytes || batch.length === 1);
        assert.ok(batch.every(({ sizeBytes }) => sizeBytes <= limit.directOverBytes));
      }
      assert.ok(directs.every(({ sizeBytes }) => sizeBytes > limit.directOverBytes));
    }),
  );
});

test('files that fit into one batch form a single batch', () => {
  fc.assert(
    fc.property(files, (given) => {
      const wide = { batchFiles: 300, batchBytes: 300 * 5000, directOverBytes: 5000 };
      assert.equal(planTransfers(given, wide).batches.length, given.length > 0 ? 1 : 0);
    }),
  );
});

test('videos are uploaded directly to the object store, whatever their size', () => {
  const given = ['a.jpg', 'b.MP4', 'c/d.webm', 'e.mkv', 'mp4'].map((path) => ({ path, sizeBytes: 10 }));
  const { batches, directs } = planTransfers(given, {
    batchFiles: 9,
    batchBytes: 1000,
    directOverBytes: 1000,
  });
  const paths = (files: typeof given) => files.map(({ path }) => path);
  assert.deepEqual(paths(batches.flat()), ['a.jpg', 'mp4']);
  assert.deepEqual(paths(directs), ['b.MP4', 'c/d.webm', 'e.mkv']);
});
