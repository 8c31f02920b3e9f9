import type { EntityManager } from '@mikro-orm/postgresql';
import { databaseConfig } from '../../db/config.ts';
import { createOrm } from '../../db/create-orm.ts';
import { resolveApiKey } from '../../services/accounts/api-key.ts';
import { findByWords } from '../../services/documents/find-by-words.ts';
import type { BenchContext } from './context.ts';
import { readCpuTimes } from './cpu-time.ts';
import { createDice } from './image-copies.ts';
import { seedChunks } from './seed-chunks.ts';
import { readSentences } from './sentences.ts';
import { goalResult, spread } from './statistics.ts';

const FEW = 10_000;
/** Writers of an account, as documents are read at the same time. */
const WRITERS = 4;
/** Searches between two readings, since a clock tick is ten milliseconds. */
const SEARCHES = 50;
/** Chunks ranked, as by `POST /files/search`. */
const RANKED = 100;
const FILTERED_DOCUMENTS = 20;
/** About as many as a question has. */
const QUESTION_WORDS = 9;
const MILLION = 1_000_000;
const MIB = 1024 ** 2;

/**
 * S3: the CPU time of the search by words, of Postgres and of this process together, in a large and in a small account of
 * the same tables, and among a few documents of each; and the space of chunks and words.
 */
export async function run({ rounds, chunks, stack: startStack, progress }: BenchContext): Promise<string[]> {
  const sentences = await readSentences(progress);
  const stack = await startStack();
  const orm = createOrm(databaseConfig.parse(stack.env));
  try {
    const { tenants } = stack.runInfo;
    // No chunk contains a question verbatim.
    const asked = sentences.filter((_, at) => at % 10 === 0);
    const used = sentences.filter((_, at) => at % 10 !== 0);
    const dice = createDice();
    const question = () => {
      const { text } = asked[Math.floor(dice() * asked.length)] ?? { text: '' };
      return text.split(' ').slice(0, QUESTION_WORDS).join(' ');
    };
    const lines: string[] = [];
    const accounts = [
      { key: tenants.professional.api_key, count: FEW },
      { key: tenants.enterprise.api_key, count: chunks },
    ];
    const seeded: { tenantId: string; count: number; documentIds: string[] }[] = [];
    for (const { key, count } of accounts) {
      const { tenantId } = await resolveApiKey(orm.em.fork(), key);
      let done = 0;
      const write = async () => {
        let before = 0;
        const onBatch = (written: number) => {
          done += written - before;
          before = written;
          progress(`${done} of ${count} chunks written`);
        };
        const seed = {
          tenantId,
          count: Math.ceil(count / WRITERS),
          collection: 'none',
          sentences: used,
          dice,
          onBatch,
        };
        return (await seedChunks(orm.em.fork(), undefined, seed)).documentIds;
      };
      const written = await Promise.all(Array.from({ length: WRITERS }, write));
      seeded.push({ tenantId, count, documentIds: written.flat() });
    }
    await orm.em.execute('vacuum analyze document_chunks');

    for (const { tenantId, count, documentIds } of seeded) {
      const some = () => {
        const first = Math.floor(dice() * (documentIds.length - FILTERED_DOCUMENTS));
        return documentIds.slice(first, first + FILTERED_DOCUMENTS);
      };
      for (const [kind, documents] of [
        ['all documents', () => undefined],
        [`${FILTERED_DOCUMENTS} documents`, some],
      ] as const) {
        const figures: number[] = [];
        for (let round = 1; round <= rounds; round++) {
          progress(`among ${kind} of ${count} chunks, round ${round} of ${rounds}`);
          const search = (tx: EntityManager) =>
            findByWords(tx, tenantId, { query: question(), documentIds: documents() }, RANKED);
          figures.push(await cpuOf(orm.em, search));
        }
        lines.push(
          `S3 search by words among ${kind}, ${count} chunks: CPU time ${spread(figures, 1)} ms, ${goalResult(figures, { most: 20 })}`,
        );
      }
    }
    return [...lines, await spaceOf(orm.em)];
  } finally {
    await orm.close(true);
  }
}

/** Mean milliseconds of CPU time of a search, in a transaction: on one connection, so in one process of Postgres. */
function cpuOf(em: EntityManager, search: (tx: EntityManager) => Promise<unknown>): Promise<number> {
  return em.fork().transactional(
    async (tx) => {
      // A process that helps with a query is not found once it has ended.
      await tx.execute('set local max_parallel_workers_per_gather = 0');
      // CPU time is measured, also where other programs make the statements wait.
      await tx.execute('set local statement_timeout = 0');
      const [backend] = await tx.execute<{ pid: number }[]>('select pg_backend_pid() as pid');
      const pids = { postgres: backend?.pid ?? NaN, client: process.pid };
      await search(tx);
      const before = readCpuTimes(pids);
      for (let done = 0; done < SEARCHES; done++) await search(tx);
      const after = readCpuTimes(pids);
      const used = (name: keyof typeof pids) => (after[name] ?? NaN) - (before[name] ?? NaN);
      return (used('postgres') + used('client')) / SEARCHES;
    },
    { readOnly: true },
  );
}

async function spaceOf(em: EntityManager): Promise<string> {
  const [size] = await em.execute<Record<'chunks' | 'rows' | 'words' | 'all' | 'lexemes', string>[]>(`
    select (select count(*) from document_chunks) as chunks, pg_table_size('document_chunks') as rows,
      pg_relation_size('document_chunks_words') as words, pg_total_relation_size('document_chunks') as all,
      pg_total_relation_size('chunk_lexemes') as lexemes`);
  const perMillion = (bytes: string | undefined) =>
    `${((Number(bytes) / Number(size?.chunks) / MIB) * MILLION).toFixed(0)} MiB`;
  return (
    `S3 space of a million chunks in Postgres: rows with their tsvectors ${perMillion(size?.rows)}, index of words ` +
    `${perMillion(size?.words)}, rows with all indexes ${perMillion(size?.all)}; distinct words ${perMillion(size?.lexemes)}`
  );
}
