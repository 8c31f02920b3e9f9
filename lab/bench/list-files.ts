import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { databaseConfig } from '../../db/config.ts';
import { createOrm } from '../../db/create-orm.ts';
import { Tenant } from '../../db/entities/accounts/tenant.ts';
import { type FileFilter, fileMatch } from '../../services/files/file-filter.ts';
import { BY_RELEVANCE, orderBy, type FileOrder } from '../../services/files/file-order.ts';
import { countSql, pageSql } from '../../services/files/list-files.ts';
import type { BenchContext } from './context.ts';
import { seedFiles } from './seed-files.ts';
import { interleave, milliseconds, ratios, spread, goalResult } from './statistics.ts';

const FEW = 10_000;
/** Pages per list, account and round; the second slowest is their p95. */
const REQUESTS = 20;
const GOAL = { most: 2 };

interface Query {
  order: FileOrder;
  filter?: FileFilter;
  search?: string;
}

const LIVE: FileFilter = { deleted: false };
const QUERIES: Record<string, Query> = {
  newest: { order: orderBy('created_at', 'desc') },
  'by title': { order: orderBy('title', 'asc') },
  'by content date': { order: orderBy('content_created_at', 'desc') },
  'by size': { order: orderBy('size_bytes', 'desc') },
  'a tag': { order: orderBy('created_at', 'desc'), filter: { ...LIVE, tags: ['harbour'] } },
  'a rare medium': { order: orderBy('created_at', 'desc'), filter: { ...LIVE, mediaTypes: ['document'] } },
  'a rare word': { order: BY_RELEVANCE, search: 'quartzite' },
  'a common word': { order: BY_RELEVANCE, search: 'photograph' },
};
/** Handwritten SQL for the same pages, without search and cursor. */
const BARE: Record<string, string> = {
  newest: 'order by created_at desc, id desc',
  'by title': 'order by lower(coalesce(title, filename)), id',
  'by size': 'order by size_bytes desc, id desc',
};

/**
 * L1: pages of lists in a large account compared with a small account and with bare SQL; counts are measured
 * separately.
 */
export async function run({ rounds, rows, stack: startStack, progress }: BenchContext): Promise<string[]> {
  const stack = await startStack();
  const orm = createOrm(databaseConfig.parse(stack.env), 'none');
  try {
    const em = orm.em.fork();
    const [few, many] = [randomUUID(), randomUUID()];
    await fill(em, { [few]: FEW, [many]: rows }, (done) => progress(`${done} files written`));
    const lines: string[] = [];
    for (const [name, query] of Object.entries(QUERIES)) {
      const page = (tenantId: string) => () => p95(() => em.execute(statement(em, tenantId, query)));
      const times = await interleave(rounds, { few: page(few), many: page(many) }, (turn) =>
        progress(`${name}, ${turn}`),
      );
      const ratio = ratios(times.many, times.few);
      lines.push(
        `L1 ${name}: p95 of a page of ${rows} files / of ${FEW}: ${spread(ratio, 2)}, ${goalResult(ratio, GOAL)}; ${spread(times.many, 1)} ms and ${spread(times.few, 1)} ms`,
      );
    }
    for (const [name, tail] of Object.entries(BARE)) {
      const query = QUERIES[name];
      if (!query) continue;
      const bare = `select * from files where tenant_id = '${many}' and deleted_at is null ${tail} limit 21`;
      const columns = bare.replace(
        '*',
        'id, title, filename, tags, size_bytes, upload_description, visible_text, created_at, components',
      );
      const times = await interleave(
        rounds,
        {
          ours: () => p95(() => em.execute(statement(em, many, query))),
          theirs: () => p95(() => em.execute(columns)),
        },
        (turn) => progress(`${name} beside bare SQL, ${turn}`),
      );
      lines.push(`L1 … ${name} / bare SQL of nine columns: ${spread(ratios(times.ours, times.theirs), 2)}`);
    }
    for (const name of ['a tag', 'a rare medium', 'a rare word', 'a common word']) {
      const { filter = LIVE, search } = QUERIES[name] ?? {};
      const count = countSql(many, filter, search === undefined ? undefined : fileMatch(search, 'all'));
      progress(`counting ${name}`);
      const times: number[] = [];
      for (let round = 0; round < rounds; round++) times.push(await milliseconds(() => em.execute(count)));
      lines.push(`L1 … counting ${name} among ${rows}: ${spread(times, 1)} ms`);
    }
    return lines;
  } finally {
    await orm.close(true);
  }
}

/** Inserts the files. The index of the filters is built afterwards, which takes a tenth of the time. */
async function fill(
  em: EntityManager,
  accounts: Record<string, number>,
  onBatch: (done: number) => void,
): Promise<void> {
  const [index] = await em.execute<{ made: string }[]>(
    `select pg_get_indexdef('files_filters'::regclass) as made`,
  );
  await em.execute('drop index files_filters');
  for (const [id, count] of Object.entries(accounts)) {
    await em.insert(Tenant, { id, name: 'bench', tier: 'enterprise', createdAt: new Date() });
    await seedFiles(em, id, count, onBatch);
  }
  await em.execute(index?.made ?? '');
  await em.execute('vacuum analyze files');
}

function statement(em: EntityManager, tenantId: string, { order, filter = LIVE, search }: Query) {
  const match = search === undefined ? undefined : fileMatch(search, 'all');
  return pageSql(em, { tenantId, filter, match, order, limit: 20, offset: 0 });
}

async function p95(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < REQUESTS; i++) times.push(await milliseconds(work));
  return times.toSorted((a, b) => a - b)[Math.floor(REQUESTS * 0.95) - 1] ?? NaN;
}
