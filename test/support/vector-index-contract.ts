import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { afterEach, describe, it } from 'node:test';
import type { VectorIndex, VectorPoint } from '../../adapters/vector-index/vector-index.ts';

/** Opens a new handle on a collection of the same store. */
export type MakeIndex = (options: { collection: string; dimension: number }) => VectorIndex;

const DIMENSION = 4;
const EAST = [1, 0, 0, 0];
const NORTH = [0, 1, 0, 0];
const WEST = [-1, 0, 0, 0];
const NORTH_EAST = [1, 1, 0, 0];

/**
 * The contract of every vector index, as tests to run inside a suite. Each test has its own collection; the store
 * behind it is shared and may contain others.
 */
export function vectorIndexContract(makeIndex: MakeIndex): void {
  const handles: VectorIndex[] = [];
  afterEach(async () => {
    await Promise.all(handles.splice(0).map((handle) => handle.close()));
  });
  const open = (collection: string = `test-${randomUUID()}`, dimension: number = DIMENSION) => {
    const handle = makeIndex({ collection, dimension });
    handles.push(handle);
    return handle;
  };
  const tenantId = randomUUID();
  const point = (vector: readonly number[], fields: Partial<VectorPoint> = {}): VectorPoint => ({
    id: randomUUID(),
    fileId: randomUUID(),
    tenantId,
    kind: 'image',
    vector,
    ...fields,
  });

  describe('find', () => {
    it('returns a stored vector, possibly scaled, only to its own tenant', async () => {
      const index = open();
      const stored = point([3, 4, 0, 0]);
      await index.upsert([stored, point(EAST)]);
      const found = await index.find({ tenantId, id: stored.id });
      const length = Math.hypot(...(found ?? []));
      for (const [i, expected] of [0.6, 0.8, 0, 0].entries()) {
        assert.ok(Math.abs((found?.[i] ?? NaN) / length - expected) < 1e-5, String(found));
      }
      assert.equal(await index.find({ tenantId: randomUUID(), id: stored.id }), undefined);
      assert.equal(await index.find({ tenantId, id: randomUUID() }), undefined);
      assert.equal(await open().find({ tenantId, id: stored.id }), undefined);
    });
  });

  describe('compare', () => {
    it('returns the similarities of stored points by id, only to their own tenant', async () => {
      const index = open();
      const fileId = randomUUID();
      const [same, half, against] = [
        point([5, 0, 0, 0], { fileId }),
        point(NORTH_EAST, { fileId }),
        point(WEST),
      ];
      const theirs = point(EAST, { tenantId: randomUUID() });
      await index.upsert([same, half, against, theirs, point(EAST)]);
      const all = [same, half, against, theirs];
      const target = {
        tenantId,
        vector: [2, 0, 0, 0],
        fileIds: [...new Set(all.map((one) => one.fileId))],
        ids: [...all.map(({ id }) => id), randomUUID()],
      };
      const scores = await index.compare(target);
      assert.deepEqual([...scores.keys()].toSorted(), [same, half, against].map(({ id }) => id).toSorted());
      for (const [{ id }, expected] of [
        [same, 1],
        [half, Math.SQRT1_2],
        [against, -1],
      ] as const) {
        assert.ok(Math.abs((scores.get(id) ?? NaN) - expected) < 1e-5, `score ${scores.get(id)}`);
      }
      assert.deepEqual([...(await index.compare({ ...target, fileIds: [fileId] })).keys()].length, 2);
      assert.equal((await index.compare({ ...target, ids: [] })).size, 0);
      assert.equal((await open().compare(target)).size, 0);
    });
  });

  describe('search', () => {
    it('ranks by cosine similarity, from equal to opposite direction', async () => {
      const index = open();
      const [same, half, across, against] = [
        point([5, 0, 0, 0]),
        point(NORTH_EAST),
        point(NORTH),
        point(WEST),
      ];
      await index.upsert([across, against, same, half]);
      const hits = await index.search({ vector: EAST, tenantId, limit: 10 });
      assert.deepEqual(
        hits.map(({ id, fileId }) => [id, fileId]),
        [same, half, across, against].map(({ id, fileId }) => [id, fileId]),
      );
      for (const [i, expected] of [1, Math.SQRT1_2, 0, -1].entries()) {
        assert.ok(Math.abs((hits[i]?.score ?? NaN) - expected) < 1e-5, `score ${hits[i]?.score}`);
      }
    });

    it('returns no more hits than the limit', async () => {
      const index = open();
      await index.upsert([point(EAST), point(NORTH), point(WEST)]);
      assert.equal((await index.search({ vector: EAST, tenantId, limit: 2 })).length, 2);
    });

    it('finds nothing in an empty collection', async () => {
      const index = open();
      await index.ensureCollection();
      assert.deepEqual(await index.search({ vector: EAST, tenantId, limit: 5 }), []);
      assert.equal(await index.count(), 0);
    });

    it('drops a collection, also one that is gone, and creates it again with the next write', async () => {
      const collection = `test-${randomUUID()}`;
      const [index, other] = [open(collection), open(collection)];
      await index.drop();
      await index.upsert([point(EAST)]);
      assert.equal(await other.count(), 1);
      await index.drop();
      assert.deepEqual([await index.count(), await other.count()], [0, 0]);
      await other.upsert([point(EAST), point(EAST)]);
      assert.equal(await index.count(), 2);
    });

    it('finds nothing in a collection that does not exist', async () => {
      const index = open();
      assert.deepEqual(await index.search({ vector: EAST, tenantId, limit: 5 }), []);
      assert.equal(await index.count({ tenantId }), 0);
      assert.equal(await index.remove({ tenantId, fileIds: [randomUUID()] }), 0);
    });

    it('returns only the requested files, without the excluded one', async () => {
      const index = open();
      const [a, b, c] = [point(EAST), point(EAST), point(EAST)];
      await index.upsert([a, b, c]);
      const found = async (filter: { fileIds?: string[]; excludeFileId?: string }) =>
        (await index.search({ vector: EAST, tenantId, limit: 10, filter }))
          .map((hit) => hit.fileId)
          .toSorted();
      assert.deepEqual(await found({ fileIds: [a.fileId, b.fileId] }), [a.fileId, b.fileId].toSorted());
      assert.deepEqual(await found({ excludeFileId: a.fileId }), [b.fileId, c.fileId].toSorted());
      assert.deepEqual(await found({ fileIds: [a.fileId, b.fileId], excludeFileId: a.fileId }), [b.fileId]);
      assert.deepEqual(await found({ fileIds: [] }), []);
    });

    it('filters before it ranks, so that better matches that are filtered out do not use up the limit', async () => {
      const index = open();
      const mine = point(WEST);
      await index.upsert([
        ...Array.from({ length: 30 }, () => point(EAST, { tenantId: randomUUID() })),
        mine,
      ]);
      const hits = await index.search({ vector: EAST, tenantId, limit: 1 });
      assert.deepEqual(
        hits.map((hit) => hit.id),
        [mine.id],
      );
    });
  });

  describe('tenants', () => {
    it('are isolated in search, count and removal', async () => {
      const index = open();
      const theirs = point(EAST, { tenantId: randomUUID() });
      await index.upsert([theirs]);
      const filter = { fileIds: [theirs.fileId] };
      assert.deepEqual(await index.search({ vector: EAST, tenantId, limit: 5 }), []);
      assert.deepEqual(await index.search({ vector: EAST, tenantId, limit: 5, filter }), []);
      assert.equal(await index.count({ tenantId }), 0);
      assert.equal(await index.remove({ tenantId, fileIds: [theirs.fileId] }), 0);
      assert.equal(await index.count({ tenantId: theirs.tenantId }), 1);
      assert.equal(await index.count(), 1);
    });
  });

  describe('upsert', () => {
    it('keeps one point per id, with the last vector', async () => {
      const index = open();
      const first = point(EAST);
      await index.upsert([first]);
      await index.upsert([first]);
      await index.upsert([{ ...first, vector: NORTH }]);
      assert.equal(await index.count({ tenantId }), 1);
      const [hit] = await index.search({ vector: NORTH, tenantId, limit: 5 });
      assert.ok(hit && Math.abs(hit.score - 1) < 1e-5);
    });

    it('keeps the last of equal ids in one call', async () => {
      const index = open();
      const first = point(EAST);
      await index.upsert([first, { ...first, vector: NORTH }]);
      assert.equal(await index.count(), 1);
      const [hit] = await index.search({ vector: NORTH, tenantId, limit: 5 });
      assert.ok(hit && Math.abs(hit.score - 1) < 1e-5);
    });

    it('keeps one point per id when many writers race', async () => {
      const collection = `test-${randomUUID()}`;
      const writers = [open(collection), open(collection), open(collection)];
      const points = Array.from({ length: 20 }, () => point(EAST));
      await Promise.all(writers.map((writer) => writer.upsert(points)));
      assert.equal(await open(collection).count(), points.length);
    });

    it('accepts more points than fit into one request', async () => {
      const index = open();
      await index.upsert(Array.from({ length: 600 }, () => point(NORTH_EAST)));
      assert.equal(await index.count({ tenantId }), 600);
    });

    it('accepts no points and a vector of zeros', async () => {
      const index = open();
      await index.upsert([]);
      await index.upsert([point([0, 0, 0, 0])]);
      assert.equal(await index.count(), 1);
    });
  });

  describe('handles', () => {
    it('see the writes and removals of other handles', async () => {
      const collection = `test-${randomUUID()}`;
      const [writer, reader] = [open(collection), open(collection)];
      assert.equal(await reader.count(), 0);
      const written = point(EAST);
      await writer.upsert([written]);
      const [hit] = await reader.search({ vector: EAST, tenantId, limit: 5 });
      assert.equal(hit?.id, written.id);
      await writer.remove({ tenantId, fileIds: [written.fileId] });
      assert.deepEqual(await reader.search({ vector: EAST, tenantId, limit: 5 }), []);
    });

    it('may create the collection concurrently', async () => {
      const collection = `test-${randomUUID()}`;
      await Promise.all(
        [open(collection), open(collection), open(collection)].map((h) => h.ensureCollection()),
      );
      assert.equal(await open(collection).count(), 0);
    });

    it('are ready while the store answers', async () => {
      await open().ready();
    });
  });

  describe('maintenance', () => {
    it('changes no vector, is repeated without harm, and needs no collection', async () => {
      const index = open();
      await index.maintain();
      const [mine, other] = [point(EAST), point(NORTH)];
      await index.upsert([mine, other]);
      await index.maintain();
      await index.maintain();
      const hits = await index.search({ vector: NORTH_EAST, tenantId, limit: 5 });
      assert.deepEqual(hits.map(({ id }) => id).toSorted(), [mine.id, other.id].toSorted());
    });
  });

  describe('count', () => {
    it('counts the vectors of all tenants, of a tenant, or of given files', async () => {
      const index = open();
      const fileId = randomUUID();
      await index.upsert([
        point(EAST, { fileId }),
        point(NORTH, { fileId }),
        point(EAST),
        point(EAST, { fileId, tenantId: randomUUID() }),
      ]);
      assert.equal(await index.count(), 4);
      assert.equal(await index.count({ tenantId }), 3);
      assert.equal(await index.count({ tenantId, fileIds: [fileId, randomUUID()] }), 2);
      assert.equal(await index.count({ tenantId, fileIds: [] }), 0);
    });
  });

  describe('remove', () => {
    it('removes every vector of the given files and returns the number, 0 when repeated', async () => {
      const index = open();
      const fileId = randomUUID();
      const kept = point(EAST);
      await index.upsert([point(EAST, { fileId }), point(NORTH, { fileId }), kept]);
      assert.equal(await index.remove({ tenantId, fileIds: [fileId, randomUUID()] }), 2);
      assert.equal(await index.remove({ tenantId, fileIds: [fileId] }), 0);
      assert.equal(await index.remove({ tenantId, fileIds: [] }), 0);
      const hits = await index.search({ vector: EAST, tenantId, limit: 5 });
      assert.deepEqual(
        hits.map((hit) => hit.id),
        [kept.id],
      );
    });
  });

  describe('validation', () => {
    it('names both dimensions when a vector has the wrong length', async () => {
      const index = open();
      const refusal = {
        code: 'VECTOR_INVALID',
        message: 'a vector of 2 dimensions does not fit a collection of 4',
      };
      await assert.rejects(index.upsert([point([1, 0])]), refusal);
      await assert.rejects(index.search({ vector: [1, 0], tenantId, limit: 5 }), refusal);
      assert.equal(await index.count(), 0);
    });

    it('rejects a stored collection of another dimension in every operation', async () => {
      const collection = `test-${randomUUID()}`;
      await open(collection).upsert([point(EAST)]);
      const refusal = {
        code: 'VECTOR_COLLECTION_MISMATCH',
        message: `collection ${collection} holds vectors of 4 dimensions, not 2`,
      };
      await assert.rejects(open(collection, 2).ensureCollection(), refusal);
      await assert.rejects(open(collection, 2).upsert([point([1, 0])]), refusal);
      await assert.rejects(open(collection, 2).search({ vector: [1, 0], tenantId, limit: 5 }), refusal);
    });

    it('rejects ids that are not UUIDs, including those that would end a quoted string', async () => {
      const index = open();
      await index.upsert([point(EAST)]);
      const refusal = { code: 'VECTOR_INVALID', message: /is not a UUID$/ };
      for (const bad of ["x' OR '1'='1", `${tenantId}' OR true --`, `"${tenantId}"`, '', `${tenantId}\n`]) {
        await assert.rejects(index.upsert([point(EAST, { id: bad })]), refusal);
        await assert.rejects(index.upsert([point(EAST, { tenantId: bad })]), refusal);
        await assert.rejects(index.upsert([point(EAST, { fileId: bad })]), refusal);
        await assert.rejects(index.search({ vector: EAST, tenantId: bad, limit: 5 }), refusal);
        for (const filter of [{ fileIds: [bad] }, { excludeFileId: bad }]) {
          await assert.rejects(index.search({ vector: EAST, tenantId, limit: 5, filter }), refusal);
        }
        await assert.rejects(index.remove({ tenantId, fileIds: [bad] }), refusal);
        await assert.rejects(index.remove({ tenantId: bad, fileIds: [] }), refusal);
        await assert.rejects(index.count({ tenantId: bad }), refusal);
        await assert.rejects(index.count({ tenantId, fileIds: [bad] }), refusal);
      }
      assert.equal(await index.count(), 1);
    });

    it('rejects non-finite numbers and limits out of range', async () => {
      const index = open();
      await assert.rejects(index.upsert([point([1, NaN, 0, 0])]), { code: 'VECTOR_INVALID' });
      await assert.rejects(index.upsert([point([1, Infinity, 0, 0])]), { code: 'VECTOR_INVALID' });
      for (const limit of [0, -1, 1.5, 1001]) {
        await assert.rejects(index.search({ vector: EAST, tenantId, limit }), { code: 'VECTOR_INVALID' });
      }
    });

    it('treats ids as case-insensitive', async () => {
      const index = open();
      const written = point(EAST);
      await index.upsert([{ ...written, fileId: written.fileId.toUpperCase() }]);
      assert.equal(await index.remove({ tenantId: tenantId.toUpperCase(), fileIds: [written.fileId] }), 1);
    });
  });
}
