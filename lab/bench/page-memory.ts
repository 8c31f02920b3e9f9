import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDocumentReader } from '../../engines/document-reader/create-document-reader.ts';
import type { DocumentSource } from '../../engines/document-reader/document-reader.ts';
import { createProcessPool } from '../../engines/hosts/process-pool.ts';
import { readProcesses } from '../soak/read-processes.ts';
import { databaseConfig } from '../../db/config.ts';
import { createOrm } from '../../db/create-orm.ts';
import type { Stack } from '../../dev/launcher/stack.ts';
import { realDocument } from '../quality/real-documents.ts';
import { WORKERS } from './bench-stack.ts';
import { createEngine } from '../../temporal/client.ts';
import { temporalConfig } from '../../temporal/config.ts';
import type { BenchContext } from './context.ts';
import { digitize, withWorkers } from './digitize.ts';
import { handbookPdf } from './handbook-pdf.ts';
import { readAll } from './page-speed.ts';
import { goalResult, spread } from './statistics.ts';
import { MIB } from './upload-client.ts';

const MANY_PAGES = 1_000;
const FEW_PAGES = 10;
/** Read concurrently, so that every reader process reads one. */
const SMALL_DOCUMENTS = 4;
const GOAL = { most: 300 };
const SAMPLE_MS = 100;
/** Because each round, with fresh workers, takes a minute. */
const MOST_ROUNDS = 3;

/**
 * O3: memory growth over many pages: of a single reader process, which is never replaced here, since its first ten
 * pages; and of all worker processes and their children while a document of 1,000 pages is digitized, compared with
 * their peak for documents of ten pages.
 */
export async function run({
  rounds,
  document,
  stack: startStack,
  progress,
}: BenchContext): Promise<string[]> {
  if (process.platform !== 'linux') return ['O3 skipped: it reads the memory of other processes from /proc'];
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-bench-'));
  try {
    const generated = join(folder, 'handbook.pdf');
    await writeFile(generated, await handbookPdf(MANY_PAGES));
    const lines: string[] = [];
    const documents = new Map([['a generated handbook', generated]]);
    if (document !== undefined) documents.set('the given document', document);
    else
      for (const name of ['gnuplot', 'Octave'] as const) {
        const path = await realDocument(name).catch(() => undefined);
        if (path === undefined) lines.push(`O3 … skipped: the handbook of ${name} is not available`);
        else documents.set(`the handbook of ${name}`, path);
      }
    for (const [name, path] of documents) {
      progress(`reading ${name}`);
      lines.push(await readerGrowth(name, path));
    }
    return [...lines, ...(await workersGrowth(await startStack(), Math.min(rounds, MOST_ROUNDS), progress))];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function readerGrowth(name: string, path: string): Promise<string> {
  const source: DocumentSource = { path, type: 'pdf', tenantId: 'bench' };
  const signal = new AbortController().signal;
  const reader = createDocumentReader({
    createPool: createProcessPool,
    slots: 1,
    maxIdleRssBytes: Infinity,
    maxRssBytes: Infinity,
  });
  try {
    await readAll(reader, source, undefined, FEW_PAGES, signal);
    const start = readersMib();
    let most = start;
    const watch = setInterval(() => (most = Math.max(most, readersMib())), SAMPLE_MS);
    const { profile, pageCount } = await reader.inspect(source, signal);
    await readAll(reader, source, profile, pageCount, signal);
    clearInterval(watch);
    const grown = [most - start];
    return `O3 ${name}, ${pageCount} pages: growth of the reader since its first ${FEW_PAGES}: ${spread(grown)} MiB, ${goalResult(grown, GOAL)}; initially ${start.toFixed(0)} MiB`;
  } finally {
    await reader.close();
  }
}

/** Memory of the readers of this process only. */
function readersMib(): number {
  return (readProcesses({ bench: process.pid }).get('bench readers')?.rss ?? NaN) / MIB;
}

async function workersGrowth(stack: Stack, rounds: number, progress: BenchContext['progress']) {
  const orm = createOrm(databaseConfig.parse(stack.env));
  const engine = createEngine(temporalConfig.parse(stack.env));
  try {
    const grown: Record<'all' | 'readers' | 'workers', number[]> = { all: [], readers: [], workers: [] };
    for (let round = 1; round <= rounds; round++) {
      await withWorkers(stack, async () => {
        const peak = { all: 0, readers: 0, workers: 0 };
        const look = (): void => {
          const usage = workersUsage(stack);
          for (const part of ['all', 'readers', 'workers'] as const)
            peak[part] = Math.max(peak[part], usage[part]);
        };
        progress(`round ${round} of ${rounds}: documents of ${FEW_PAGES} pages`);
        const small = Array.from({ length: SMALL_DOCUMENTS }, async (_, at) =>
          digitize(stack, { orm, engine }, await handbookPdf(FEW_PAGES, round * 100 + at), look),
        );
        await Promise.all(small);
        const before = { ...peak };
        progress(`round ${round} of ${rounds}: a document of ${MANY_PAGES} pages`);
        await digitize(stack, { orm, engine }, await handbookPdf(MANY_PAGES, round), look);
        for (const part of ['all', 'readers', 'workers'] as const)
          grown[part].push(peak[part] - before[part]);
      });
    }
    return [
      `O3 digitizing ${MANY_PAGES} pages: growth of all worker processes and readers since documents of ${FEW_PAGES}: ${spread(grown.all)} MiB, ${goalResult(grown.all, GOAL)}`,
      `O3 … readers ${spread(grown.readers)} MiB, workers ${spread(grown.workers)} MiB`,
    ];
  } finally {
    await engine.close();
    await orm.close(true);
  }
}

/** Current memory in MiB; `workers` excludes their child processes. */
function workersUsage(stack: Stack): Record<'all' | 'readers' | 'workers', number> {
  const roots = Object.fromEntries(WORKERS.map((name) => [name, stack.pid(name) ?? 0]));
  const sums = { all: 0, readers: 0, workers: 0 };
  for (const [role, { rss }] of readProcesses(roots)) {
    sums.all += rss / MIB;
    if (role.endsWith(' readers')) sums.readers += rss / MIB;
    if (Object.hasOwn(roots, role)) sums.workers += rss / MIB;
  }
  return sums;
}
