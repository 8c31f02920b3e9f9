import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { connect } from '@lancedb/lancedb';
import { createEmbeddedIndex } from '../../../adapters/vector-index/embedded-index.ts';
import { createLanceDbIndex } from '../../../adapters/vector-index/lancedb-index.ts';
import { createQdrantIndex } from '../../../adapters/vector-index/qdrant-index.ts';
import {
  LARGE_TENANT,
  type VectorIndex,
  type VectorPoint,
} from '../../../adapters/vector-index/vector-index.ts';

const DIMENSION = 64;
const FOUND = 10;
const QUESTIONS = 40;
const POINTS_A_WRITE = 4000;

/** Numbers from 0 to 1, the same in each run (mulberry32). */
function createDice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const dice = createDice(7);
const around = (centre: readonly number[]) => centre.map((value) => value + 0.7 * (dice() * 2 - 1));
const subjects = Array.from({ length: 60 }, () => Array.from({ length: DIMENSION }, () => dice() * 2 - 1));
/** Near one of a few subjects, as texts are: their neighbours are close together. */
const vector = () => around(subjects[Math.floor(dice() * subjects.length)] ?? []);

function points(tenantId: string, count: number, make: () => number[] = vector): VectorPoint[] {
  return Array.from({ length: count }, () => ({
    id: randomUUID(),
    fileId: randomUUID(),
    tenantId,
    kind: 'chunk',
    vector: make(),
  }));
}

async function write(index: VectorIndex, all: readonly VectorPoint[]): Promise<void> {
  for (let start = 0; start < all.length; start += POINTS_A_WRITE) {
    await index.upsert(all.slice(start, start + POINTS_A_WRITE));
  }
}

function nearest(question: readonly number[], all: readonly VectorPoint[]): string[] {
  const scored = all.map((point) => {
    let [dot, square] = [0, 0];
    for (const [at, value] of point.vector.entries()) {
      dot += value * (question[at] ?? 0);
      square += value * value;
    }
    return { id: point.id, score: dot / Math.sqrt(square) };
  });
  return scored
    .toSorted((a, b) => b.score - a.score)
    .slice(0, FOUND)
    .map(({ id }) => id);
}

/** The share of the nearest points that a search finds, over some questions. */
async function recall(index: VectorIndex, all: readonly VectorPoint[]): Promise<number> {
  const tenantId = all[0]?.tenantId ?? '';
  let found = 0;
  for (let question = 0; question < QUESTIONS; question++) {
    const asked = vector();
    const ids = new Set(nearest(asked, all));
    const hits = await index.search({ vector: asked, tenantId, limit: FOUND });
    assert.equal(hits.length, FOUND);
    found += hits.filter(({ id }) => ids.has(id)).length;
  }
  return found / (QUESTIONS * FOUND);
}

describe('accounts of many vectors in a shared LanceDB table', () => {
  const [large, medium, small] = [randomUUID(), randomUUID(), randomUUID()];
  let folder: string;
  let index: VectorIndex;
  const options = () => ({ path: folder, collection: 'chunks', dimension: DIMENSION, searchedByFile: true });
  let ofLarge = points(large, LARGE_TENANT + 2000);
  const ofMedium = points(medium, 3000);
  const ofSmall = points(small, 40);
  const isApproximate = async () => {
    const db = await connect(folder);
    const table = await db.openTable('chunks');
    const indexes = await table.listIndices();
    table.close();
    db.close();
    return indexes.some(({ columns }) => columns.includes('vector'));
  };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'large-'));
    index = createLanceDbIndex(options());
    await write(index, [...ofSmall, ...ofMedium, ...ofLarge.slice(0, LARGE_TENANT - 1)]);
    await index.maintain();
    assert.equal(await isApproximate(), false, 'no account is large yet');
    await write(index, ofLarge.slice(LARGE_TENANT - 1));
    const separate = createEmbeddedIndex(options());
    await separate.maintain();
    await separate.close();
    assert.equal(await isApproximate(), true);
  });
  after(async () => {
    await index.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('finds nearly all of what is nearest in a large account, and all of it in others', async () => {
    const ofLargest = await recall(index, ofLarge);
    assert.ok(ofLargest >= 0.98, `recall ${ofLargest}`);
    assert.equal(await recall(index, ofMedium), 1);
    assert.equal(await recall(index, ofSmall), 1);
  });

  it('compares what is written after the index was built, and what replaces vectors in it', async () => {
    const question = vector();
    const added = points(large, 3, () => question);
    const { id, fileId } = ofLarge[5] ?? assert.fail();
    const replaced = { id, fileId, tenantId: large, kind: 'chunk', vector: question };
    await index.upsert([...added, replaced]);
    ofLarge = [...ofLarge.filter((point) => point.id !== id), ...added, replaced];
    const find = async () =>
      (await index.search({ vector: question, tenantId: large, limit: 4 })).map((hit) => hit.id).toSorted();
    assert.deepEqual(await find(), [...added, replaced].map((point) => point.id).toSorted());
    const after = await recall(index, ofLarge);
    assert.ok(after >= 0.98, `recall ${after}`);
  });

  it('finds no vector that was removed, also once compactions have rewritten the index', async () => {
    const gone = ofLarge.slice(100, 600);
    await index.remove({ tenantId: large, fileIds: gone.map(({ fileId }) => fileId) });
    const ids = new Set(gone.map((point) => point.id));
    ofLarge = ofLarge.filter((point) => !ids.has(point.id));
    assert.ok((await recall(index, ofLarge)) >= 0.98);
    // The first write of a process compacts.
    for (let round = 0; round < 2; round++) {
      const later = createLanceDbIndex(options());
      const added = points(large, 100);
      await later.upsert(added);
      await later.close();
      ofLarge.push(...added);
    }
    for (const { id, vector: its } of gone.slice(0, 20)) {
      const hits = await index.search({ vector: its, tenantId: large, limit: FOUND });
      assert.ok(!hits.some((hit) => hit.id === id));
    }
    const after = await recall(index, ofLarge);
    assert.ok(after >= 0.98, `recall ${after}`);
    assert.equal(await recall(index, ofSmall), 1);
  });

  it('searches given files of a large account exactly', async () => {
    const some = ofLarge.slice(1000, 1030);
    const fileIds = some.map(({ fileId }) => fileId);
    const question = vector();
    const hits = await index.search({ vector: question, tenantId: large, limit: FOUND, filter: { fileIds } });
    assert.deepEqual(
      hits.map(({ id }) => id),
      nearest(question, some),
    );
  });

  it('finds the hits of an account that has become small exactly', async () => {
    const gone = ofLarge.slice(500);
    for (let start = 0; start < gone.length; start += POINTS_A_WRITE) {
      const fileIds = gone.slice(start, start + POINTS_A_WRITE).map(({ fileId }) => fileId);
      await index.remove({ tenantId: large, fileIds });
    }
    assert.equal(await recall(index, ofLarge.slice(0, 500)), 1);
  });
});

it('compares all vectors of a dimension that the index of LanceDB cannot have', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'odd-'));
  const index = createLanceDbIndex({ path: folder, collection: 'images', dimension: 6 });
  const tenantId = randomUUID();
  const all = points(tenantId, LARGE_TENANT, () => Array.from({ length: 6 }, () => dice() - 0.5));
  await write(index, all);
  await index.maintain();
  const question = [1, 2, 3, 4, 5, 6];
  const hits = await index.search({ vector: question, tenantId, limit: FOUND });
  assert.deepEqual(
    hits.map(({ id }) => id),
    nearest(question, all),
  );
  await index.close();
  await rm(folder, { recursive: true, force: true });
});

describe('accounts of many vectors on a Qdrant server', () => {
  /** Answers as a server whose collection has default settings and an account with so many vectors. */
  async function serve(vectors: number) {
    const requests: { method: string; path: string; body: Record<string, unknown> }[] = [];
    const server = createServer((request, response) => {
      void readBody(request).then((body) => {
        const path = (request.url ?? '').split('?')[0] ?? '';
        requests.push({ method: request.method ?? '', path, body });
        const result = path.endsWith('/count')
          ? { count: vectors }
          : path.endsWith('/query')
            ? { points: [] }
            : request.method === 'GET'
              ? { config: { params: { vectors: { size: 2 } }, hnsw_config: { m: 16 } } }
              : true;
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ result, status: 'ok', time: 0 }));
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return { index: createQdrantIndex({ url, collection: 'chunks', dimension: 2 }), requests, server };
  }

  async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    return parts.length === 0 ? {} : (JSON.parse(Buffer.concat(parts).toString()) as Record<string, unknown>);
  }

  it('asks for an exact search of accounts that are not large, and of given files', async () => {
    for (const [vectors, fileIds, exact] of [
      [LARGE_TENANT - 1, undefined, true],
      [LARGE_TENANT, undefined, undefined],
      [LARGE_TENANT, [randomUUID()], true],
    ] as const) {
      const { index, requests, server } = await serve(vectors);
      await index.search({
        vector: [1, 0],
        tenantId: randomUUID(),
        limit: 5,
        ...(fileIds && { filter: { fileIds } }),
      });
      const query = requests.find(({ path }) => path.endsWith('/query')) ?? assert.fail();
      assert.equal((query.body['params'] as { exact?: boolean }).exact, exact);
      server.close();
    }
  });

  it('gives an existing collection a graph for each account', async () => {
    const { index, requests, server } = await serve(0);
    await index.maintain();
    const { path, body } = requests.find(({ method }) => method === 'PATCH') ?? assert.fail();
    assert.equal(path, '/collections/chunks');
    assert.partialDeepStrictEqual(body, {
      hnsw_config: { m: 0, payload_m: 16 },
      quantization_config: { scalar: { type: 'int8' } },
    });
    server.close();
  });
});
