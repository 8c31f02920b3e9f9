import { connect } from '@lancedb/lancedb';
import { QdrantClient } from '@qdrant/js-client-rest';
import { createLocalTextEmbedding } from '../../adapters/models/text-embedding/local-text-embedding.ts';
import { qdrantAddress, vectorConfig, type VectorConfig } from '../../adapters/vector-index/config.ts';
import { createVectorIndex } from '../../adapters/vector-index/create-vector-index.ts';
import type { VectorIndex } from '../../adapters/vector-index/vector-index.ts';
import { databaseConfig } from '../../db/config.ts';
import { createOrm } from '../../db/create-orm.ts';
import { resolveApiKey } from '../../services/accounts/api-key.ts';
import { chunkCollection } from '../../services/documents/index-chunks.ts';
import { type BenchContext, packageVersion } from './context.ts';
import { readCpuTimes, usedBetween } from './cpu-time.ts';
import { createDice } from '../shared/dice.ts';
import { nearestOf, seedChunks, type SeededChunks } from './seed-chunks.ts';
import { readSentences } from './sentences.ts';
import { goalResult, interleave, median, milliseconds, percentile, ratios, spread } from './statistics.ts';
import { Darkroom } from '../../sdk/src/index.ts';

const FEW = 10_000;
/** Of the API and of its index, for a whole search. */
const CPU_GOALS = { few: { most: 30 }, many: { most: 60 } };
/** Chunks of a third tenant in the same table and index. */
const OTHERS = 20_000;
/** Searches of each kind and round; the second slowest is their p95. */
const SEARCHES = 20;
const FOUND = 10;
/** 1,000 chunks. */
const FILTERED_DOCUMENTS = 20;
/** About as many as a question has. */
const QUESTION_WORDS = 9;
const RECALL_QUESTIONS = 50;

/**
 * S1: `POST /files/search` over the chunks of a large and of a small account: CPU time of the API with its index, and
 * duration, compared with the index client alone, which embeds the same question and searches the same vectors with the same
 * filter. Also reports the recall of the index relative to an exhaustive search.
 */
export async function run({ rounds, chunks, stack: startStack, progress }: BenchContext): Promise<string[]> {
  const sentences = await readSentences(progress);
  const stack = await startStack();
  const orm = createOrm(databaseConfig.parse(stack.env));
  const embedding = createLocalTextEmbedding();
  const collection = chunkCollection(embedding);
  const config = vectorConfig.parse(stack.env);
  const index = createVectorIndex(config, collection);
  const client = await openBareClient(config, collection.collection);
  try {
    const { tenants, api_url: apiUrl } = stack.runInfo;
    // No chunk contains a question verbatim.
    const asked = sentences.filter((_, at) => at % 10 === 0);
    const used = sentences.filter((_, at) => at % 10 !== 0);
    const { fraction: dice } = createDice(7);
    const accounts: Record<string, SeededChunks & { key: string }> = {};
    for (const [name, { api_key: key }, count] of [
      ['others', tenants.starter, OTHERS],
      ['few', tenants.professional, FEW],
      ['many', tenants.enterprise, chunks],
    ] as const) {
      const em = orm.em.fork();
      const { tenantId } = await resolveApiKey(em, key);
      const seed = { tenantId, count, collection: collection.collection, sentences: used, dice };
      const onBatch = (done: number) => progress(`${done} of ${count} chunks written (${name})`);
      accounts[name] = { ...(await seedChunks(em, index, { ...seed, onBatch })), key };
    }
    await orm.em.execute('vacuum analyze document_chunks');
    await orm.em.execute('vacuum analyze files');
    progress('building the index of the large account');
    await index.maintain();

    const question = () => {
      const { text } = asked[Math.floor(dice() * asked.length)] ?? { text: '' };
      return text.split(' ').slice(0, QUESTION_WORDS).join(' ');
    };
    const many = async (work: (query: string) => Promise<unknown>) => {
      const times: number[] = [];
      for (let i = 0; i < SEARCHES; i++) {
        const query = question();
        times.push(await milliseconds(() => work(query)));
      }
      return times;
    };
    const cpu = () => readCpuTimes({ api: stack.pid('api') ?? NaN });
    const search =
      (account: SeededChunks & { key: string }, filtered: boolean, used: number[]) => async () => {
        const before = cpu();
        const times = await many(async (query) => {
          const darkroom = new Darkroom({ baseUrl: apiUrl, apiKey: account.key });
          const documents = filtered && { document_ids: someDocuments(account) };
          const { items } = await darkroom.search(query, { limit: FOUND, ...documents });
          // A question of mere common words may find nothing.
          if (items.length !== FOUND && items.length > 0)
            throw new Error(`the search found ${items.length} chunks`);
        });
        used.push((usedBetween(before, cpu())['api'] ?? NaN) / SEARCHES);
        return times;
      };
    const engine = (account: SeededChunks, filtered: boolean) => () =>
      many(async (query) => {
        const [vector = []] = await embedding.embed([query], {
          role: 'query',
          signal: AbortSignal.timeout(60_000),
        });
        await client.search(vector, account.tenantId, filtered ? someDocuments(account) : undefined);
      });

    const lines: string[] = [];
    const { few, many: large } = accounts;
    if (!few || !large) throw new Error('no account');
    for (const filtered of [false, true]) {
      const kind = filtered ? `among ${FILTERED_DOCUMENTS} documents` : 'among all documents';
      const cpuTimes = { few: [] as number[], many: [] as number[] };
      const times = await interleave(
        rounds,
        {
          few: search(few, filtered, cpuTimes.few),
          fewEngine: engine(few, filtered),
          many: search(large, filtered, cpuTimes.many),
          manyEngine: engine(large, filtered),
        },
        (turn) => progress(`${kind}, ${turn}`),
      );
      const p50 = (figures: number[][]) => figures.map(median);
      const p95 = (figures: number[][]) => figures.map((figure) => percentile(figure, 95));
      for (const [name, count, ours, theirs] of [
        ['few', FEW, times.few, times.fewEngine],
        ['many', chunks, times.many, times.manyEngine],
      ] as const) {
        // A process also works between searches, most after its start.
        const used = cpuTimes[name].slice(-rounds);
        lines.push(
          `S1 search ${kind}, ${count} chunks: CPU of API and index ${spread(used, 1)} ms, ${goalResult(used, CPU_GOALS[name])}; p50 ${spread(p50(ours), 1)} ms, of the engine call (${client.name}) ${spread(p50(theirs), 1)} ms`,
        );
      }
      const ratio = ratios(p95(times.many), p95(times.few));
      lines.push(
        `S1 search ${kind}: p95 at ${chunks} chunks / at ${FEW}: ${spread(ratio, 2)}, ${goalResult(ratio, { most: 2 })}; ${spread(p95(times.many), 1)} ms and ${spread(p95(times.few), 1)} ms; engine call alone ${spread(ratios(p95(times.manyEngine), p95(times.fewEngine)), 2)}`,
      );
    }
    progress('comparing with an exhaustive search');
    const vectors: number[][] = [];
    for (let i = 0; i < RECALL_QUESTIONS; i++) {
      vectors.push(
        ...(await embedding.embed([question()], { role: 'query', signal: AbortSignal.timeout(60_000) })),
      );
    }
    for (const account of [few, large]) {
      const recall = await recallOf(index, account, vectors);
      lines.push(
        `S1 recall@${FOUND} of the index against all ${account.ids.length} vectors: ${recall.toFixed(3)}, ${goalResult([recall], { least: 0.98 })}`,
      );
    }
    return lines;

    function someDocuments({ documentIds }: SeededChunks): string[] {
      const first = Math.floor(dice() * (documentIds.length - FILTERED_DOCUMENTS));
      return documentIds.slice(first, first + FILTERED_DOCUMENTS);
    }
  } finally {
    await client.close();
    await index.close();
    await embedding.close();
    await orm.close(true);
  }
}

/** A search by the client of the vector index alone. */
interface BareClient {
  name: string;
  search(vector: number[], tenantId: string, fileIds?: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

async function openBareClient(
  { QDRANT_URL: url, QDRANT_API_KEY: apiKey, LANCEDB_PATH: path }: VectorConfig,
  collection: string,
): Promise<BareClient> {
  if (url !== undefined) {
    const client = new QdrantClient({
      ...qdrantAddress(url),
      checkCompatibility: false,
      ...(apiKey !== undefined && { headers: { 'api-key': apiKey } }),
    });
    return {
      name: packageVersion('@qdrant/js-client-rest'),
      async search(vector, tenantId, fileIds) {
        const must = [
          { key: 'tenantId', match: { value: tenantId } },
          ...(fileIds ? [{ key: 'fileId', match: { any: [...fileIds] } }] : []),
        ];
        await client.query(collection, {
          query: vector,
          limit: FOUND,
          with_payload: ['fileId'],
          filter: { must },
        });
      },
      close: () => Promise.resolve(),
    };
  }
  const db = await connect(path ?? '', { readConsistencyInterval: 0 });
  return {
    name: packageVersion('@lancedb/lancedb'),
    async search(vector, tenantId, fileIds) {
      const among = fileIds ? ` AND fileId IN (${fileIds.map((id) => `'${id}'`).join(', ')})` : '';
      const table = await db.openTable(collection);
      await table
        .vectorSearch(vector)
        .distanceType('dot')
        .where(`tenantId = '${tenantId}'${among}`)
        .select(['id', 'fileId', '_distance'])
        .limit(FOUND)
        .toArray();
      table.close();
    },
    close: () => Promise.resolve(db.close()),
  };
}

async function recallOf(index: VectorIndex, { tenantId, ids, vectors }: SeededChunks, asked: number[][]) {
  let found = 0;
  for (const vector of asked) {
    const nearest = new Set(nearestOf(vector, vectors, FOUND).map((at) => ids[at]));
    const hits = await index.search({ vector, tenantId, limit: FOUND });
    found += hits.filter(({ id }) => nearest.has(id)).length;
  }
  return found / (asked.length * FOUND);
}
