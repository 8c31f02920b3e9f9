import assert from 'node:assert/strict';
import { randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { connect } from '@lancedb/lancedb';
import { createEmbeddedIndex } from '../../../adapters/vector-index/embedded-index.ts';
import { createLanceDbIndex } from '../../../adapters/vector-index/lancedb-index.ts';
import { createQdrantIndex } from '../../../adapters/vector-index/qdrant-index.ts';
import type { VectorIndexError, VectorPoint } from '../../../adapters/vector-index/vector-index.ts';
import { similarity } from '../../../domain/similarity.ts';
import { eventually } from '../../support/api.ts';
import { childrenNamed } from '../../support/child-processes.ts';
import { findQdrant, type QdrantServer } from '../../support/qdrant-server.ts';
import { vectorIndexContract } from '../../support/vector-index-contract.ts';

const tenantId = randomUUID();
/** What is left when a folder is deleted during a write: its version is committed later, and names files that are gone. */
async function tearTable(path: string): Promise<void> {
  const versions = join(path, 'images.lance', '_versions');
  const kept = `${path}-versions`;
  await cp(versions, kept, { recursive: true });
  await rm(path, { recursive: true });
  await cp(kept, versions, { recursive: true });
}

/** A failure of the index whose log tells the missing file. */
function isLost(error: VectorIndexError): boolean {
  assert.equal(error.code, 'VECTOR_INDEX_UNAVAILABLE');
  assert.ok(error.cause instanceof Error);
  assert.match(error.cause.message, /not found: /i);
  assert.match(error.cause.message, /images\.lance/);
  return true;
}

const onePoint = () => [{ id: randomUUID(), fileId: randomUUID(), tenantId, kind: 'image', vector: [1, 0] }];

describe('LanceDB vector index', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lancedb-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  vectorIndexContract((options) => createLanceDbIndex({ path: join(folder, 'vectors'), ...options }));

  it('is empty after its folder was wiped, and can be filled again', async () => {
    const path = join(folder, 'wiped');
    const index = createLanceDbIndex({ path, collection: 'images', dimension: 2 });
    await index.upsert(onePoint());
    assert.equal(await index.count(), 1);
    await rm(path, { recursive: true });
    assert.equal(await index.count(), 0);
    assert.deepEqual(await index.search({ vector: [1, 0], tenantId, limit: 5 }), []);
    await index.upsert(onePoint());
    assert.equal(await index.count(), 1);
    await index.close();
  });

  it('repairs a table of which a late write has left only the list of versions', async () => {
    const path = join(folder, 'torn');
    const index = createLanceDbIndex({ path, collection: 'images', dimension: 2 });
    const points = [...onePoint(), ...onePoint()];
    await index.upsert(points);
    assert.equal(await index.repair(), false);
    assert.equal(await index.count(), 2, 'a whole one stays');
    await tearTable(path);
    for (const use of [() => index.upsert(points), () => index.count({ tenantId })])
      await assert.rejects(use, isLost);
    assert.equal(await index.repair(), true);
    assert.equal(await index.count(), 0);
    await index.upsert(points);
    assert.equal(await index.count({ tenantId }), 2);
    await index.close();
  });

  it('keeps every point through the compaction triggered by many small writes', async () => {
    const index = createLanceDbIndex({ path: join(folder, 'tidied'), collection: 'images', dimension: 2 });
    for (let i = 0; i < 70; i++) await index.upsert(onePoint());
    assert.equal(await index.count(), 70);
    await index.close();
  });

  it('merges the fragments of the last writes when it is maintained', async () => {
    const path = join(folder, 'maintained');
    const index = createLanceDbIndex({ path, collection: 'images', dimension: 2 });
    for (let i = 0; i < 12; i++) await index.upsert(onePoint());
    const db = await connect(path);
    const table = await db.openTable('images');
    const fragments = async () => {
      await table.checkoutLatest();
      return (await table.stats()).fragmentStats.numFragments;
    };
    assert.ok((await fragments()) > 8);
    await index.maintain();
    assert.ok((await fragments()) < 8);
    assert.equal(await index.count(), 12);
    table.close();
    db.close();
    await index.close();
  });

  it('finds the same vectors as a plain list, through compactions by several writers', async () => {
    const open = () =>
      createLanceDbIndex({
        path: join(folder, 'listed'),
        collection: 'chunks',
        dimension: 2,
        searchedByFile: true,
      });
    const listed = new Map<string, VectorPoint>();
    const tenants = [randomUUID(), randomUUID()];
    const write = async () => {
      const index = open();
      const files = tenants.flatMap((owner) => [1, 2].map(() => ({ tenantId: owner, fileId: randomUUID() })));
      const ids = new Map(files.map(({ fileId }) => [fileId, [1, 2, 3].map(() => randomUUID())]));
      for (let step = 0; step < 100; step++) {
        const file = files[randomInt(files.length)] ?? assert.fail();
        const its = ids.get(file.fileId) ?? [];
        if (randomInt(4) === 0) {
          await index.remove({ tenantId: file.tenantId, fileIds: [file.fileId] });
          for (const id of its) listed.delete(id);
          continue;
        }
        const vector = [randomInt(1, 100), randomInt(-100, 100)];
        const points = its.slice(randomInt(3)).map((id) => ({ ...file, id, kind: 'chunk', vector }));
        await index.upsert(points);
        for (const point of points) listed.set(point.id, point);
      }
      await index.close();
      return files;
    };
    const files = (await Promise.all([write(), write(), write()])).flat();
    const index = open();
    const foundIn = async (owner: string, filter?: { fileIds: string[] }) => {
      const hits = await index.search({
        vector: [1, 0],
        tenantId: owner,
        limit: 100,
        ...(filter && { filter }),
      });
      return hits.map(({ id }) => id).toSorted();
    };
    const listedAs = (is: (point: VectorPoint) => boolean) =>
      [...listed.values()]
        .filter(is)
        .map(({ id }) => id)
        .toSorted();
    for (const owner of tenants) {
      assert.deepEqual(
        await foundIn(owner),
        listedAs((point) => point.tenantId === owner),
      );
    }
    for (const { tenantId: owner, fileId } of files) {
      const its = listedAs((point) => point.fileId === fileId);
      assert.deepEqual(await foundIn(owner, { fileIds: [fileId] }), its);
      const vectors = await index.findMany({ tenantId: owner, ids: its });
      for (const id of its) {
        assert.ok(similarity(vectors.get(id) ?? [], listed.get(id)?.vector ?? []) > 0.9999);
      }
    }
    await index.close();
  });

  it('is unavailable where no folder can be created', async () => {
    const index = createLanceDbIndex({ path: '/dev/null/vectors', collection: 'images', dimension: 2 });
    await assert.rejects(index.ready(), { code: 'VECTOR_INDEX_UNAVAILABLE' });
    await assert.rejects(index.upsert(onePoint()), { code: 'VECTOR_INDEX_UNAVAILABLE' });
    await index.close();
  });
});

describe('embedded vector index in child processes', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'embedded-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));
  const open = (name: string, limits: { writesAProcess?: number; callsAProcess?: number } = {}) =>
    createEmbeddedIndex({ path: join(folder, name), collection: 'images', dimension: 2, ...limits });

  vectorIndexContract((options) => createEmbeddedIndex({ path: join(folder, 'vectors'), ...options }));

  it('replaces its process after a number of writes, and loses no concurrent write', async () => {
    const index = open('replaced', { writesAProcess: 3 });
    const seen = new Set<number>();
    await index.ensureCollection();
    for (let round = 0; round < 4; round++) {
      await Promise.all(Array.from({ length: 4 }, () => index.upsert(onePoint())));
      for (const pid of childrenNamed('darkroom-vectors')) seen.add(pid);
    }
    assert.equal(await index.count(), 16);
    assert.ok(seen.size > 1, 'it was never replaced');
    await index.close();
    assert.deepEqual(childrenNamed('darkroom-vectors'), []);
  });

  it('replaces its process after a number of calls, also without writes', async () => {
    const index = open('searched', { callsAProcess: 3 });
    const seen = new Set<number>();
    for (let call = 0; call < 7; call++) {
      assert.equal(await index.count(), 0);
      for (const pid of childrenNamed('darkroom-vectors')) seen.add(pid);
    }
    assert.ok(seen.size > 1, 'it was never replaced');
    await index.close();
  });

  it('is unavailable when its process dies, and the next call starts another', async () => {
    const index = open('killed');
    await index.upsert(onePoint());
    const [pid] = childrenNamed('darkroom-vectors');
    assert.ok(pid);
    const calls = Array.from({ length: 20 }, () => index.upsert(onePoint()));
    process.kill(pid, 'SIGKILL');
    const failed = (await Promise.allSettled(calls)).filter(({ status }) => status === 'rejected');
    for (const { reason } of failed as PromiseRejectedResult[]) {
      assert.equal((reason as VectorIndexError).code, 'VECTOR_INDEX_UNAVAILABLE');
    }
    await index.upsert(onePoint());
    assert.ok((await index.count()) >= 2 + 20 - failed.length);
    await index.close();
  });

  it('names what is missing in the cause of an error, and is repaired', async () => {
    const index = open('torn');
    await index.upsert(onePoint());
    await tearTable(join(folder, 'torn'));
    await assert.rejects(() => index.upsert(onePoint()), isLost);
    const before = childrenNamed('darkroom-vectors').length;
    assert.equal(await index.repair(), true);
    await eventually(async () => assert.equal(childrenNamed('darkroom-vectors').length, before));
    await index.upsert(onePoint());
    assert.equal(await index.count(), 1);
    await index.close();
  });

  it('reports the same errors as the index itself', async () => {
    const index = open('wrong');
    const point = { ...onePoint()[0], vector: [1, 2, 3] } as VectorPoint;
    await assert.rejects(index.upsert([point]), { name: 'VectorIndexError', code: 'VECTOR_INVALID' });
    await index.close();
  });
});

describe('Qdrant vector index', () => {
  const start = findQdrant(process.env);
  if (start) {
    let server: QdrantServer;
    before(async () => {
      server = await start();
    });
    const used = new Set<string>();
    after(async () => {
      const headers = { 'api-key': server.apiKey };
      for (const name of used)
        await fetch(`${server.url}/collections/${name}`, { method: 'DELETE', headers });
      await server.stop();
    });
    vectorIndexContract((options) => {
      used.add(options.collection);
      return createQdrantIndex({ url: server.url, apiKey: server.apiKey, ...options });
    });
  } else {
    it('fulfils the contract', (t) => {
      t.diagnostic(
        'NOT TESTED: Qdrant. Set QDRANT_URL, or put a qdrant program on PATH, to run its contract.',
      );
      t.skip('no Qdrant here');
    });
  }

  it('is unavailable, with a readable message, when nothing listens', async () => {
    const index = createQdrantIndex({ url: 'http://127.0.0.1:1', collection: 'images', dimension: 2 });
    const refusal = { code: 'VECTOR_INDEX_UNAVAILABLE', message: 'the vector index cannot be reached' };
    await assert.rejects(index.ready(), refusal);
    await assert.rejects(index.upsert(onePoint()), refusal);
  });

  it('is not ready, within seconds, when the server accepts but does not respond', async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const index = createQdrantIndex({ url: `http://127.0.0.1:${port}`, collection: 'images', dimension: 2 });
    await assert.rejects(index.ready(), {
      code: 'VECTOR_INDEX_UNAVAILABLE',
      message: 'the vector index did not answer within 2 seconds',
    });
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
});
