import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createDocumentReader } from '../../engines/document-reader/create-document-reader.ts';
import type { DocumentReader, DocumentSource } from '../../engines/document-reader/document-reader.ts';
import { createProcessPool } from '../../engines/hosts/process-pool.ts';
import { realDocument } from '../quality/real-documents.ts';
import { PAGES_A_BATCH } from '../../temporal/contract/digitize-document.ts';
import { type BenchContext, packageVersion } from './context.ts';
import { handbookPdf } from './handbook-pdf.ts';
import { goalResult, interleave, milliseconds, ratios, spread } from './statistics.ts';

const PAGES = 100;
const REAL = 'gnuplot';
const BARE_ENGINE = fileURLToPath(new URL('bare-engine.ts', import.meta.url));
const runProgram = promisify(execFile);

/**
 * O2: pages per second of the structure of a PDF with a text layer, compared with pdf.js alone, which only extracts the
 * text. Each turn runs in a fresh process, because the reader is a process too.
 */
export async function run({ rounds, document, progress }: BenchContext): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-bench-'));
  try {
    const generated = join(folder, 'handbook.pdf');
    await writeFile(generated, await handbookPdf(PAGES));
    const real = document ?? (await realDocument(REAL).catch(() => undefined));
    return [
      ...(await measure('a generated handbook', generated, rounds, progress)),
      ...(real === undefined
        ? [`O2 … skipped: the handbook of ${REAL} is not available`]
        : await measure(document ? 'the given document' : `the handbook of ${REAL}`, real, rounds, progress)),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function measure(name: string, path: string, rounds: number, progress: BenchContext['progress']) {
  const source: DocumentSource = { path, type: 'pdf', tenantId: 'bench' };
  const signal = new AbortController().signal;
  const { profile, pageCount } = await withReader((reader) => reader.inspect(source, signal));
  /** Seconds of `work` after `warmUp`, by which the process has started and compiled its engine. */
  const seconds = (warmUp: (reader: DocumentReader) => Promise<unknown>, work: typeof warmUp) =>
    withReader(async (reader) => {
      await warmUp(reader);
      return (await milliseconds(() => work(reader))) / 1000;
    });
  const times = await interleave(
    rounds,
    {
      bare: () => bareEngine(path, 'text'),
      drawn: () => bareEngine(path, 'operators'),
      read: () =>
        seconds(
          (reader) => reader.readPages(source, profile, [1], signal),
          (reader) => readAll(reader, source, profile, pageCount, signal),
        ),
      whole: () =>
        seconds(
          (reader) => reader.renderPage(source, 1, signal),
          async (reader) => {
            const facts = await reader.inspect(source, signal);
            await readAll(reader, source, facts.profile, pageCount, signal);
          },
        ),
    },
    (turn) => progress(`${name}, ${turn}`),
  );
  const rate = (figures: number[]) => figures.map((each) => pageCount / each);
  const bare = rate(times.bare);
  const read = ratios(rate(times.read), bare);
  const engine = packageVersion('pdfjs-dist');
  return [
    `O2 ${name}, ${pageCount} pages: pages/s read / text by ${engine} alone: ${spread(read, 2)}, ${goalResult(read, { least: 0.8 })}; ${spread(rate(times.read))} and ${spread(bare)}`,
    `O2 … including the inspection: ${spread(ratios(rate(times.whole), bare), 2)}, ${spread(rate(times.whole))} pages/s; ${engine} reading text and drawing operators: ${spread(ratios(rate(times.drawn), bare), 2)}`,
  ];
}

/** Reads all pages of a document, batch by batch. */
export async function readAll(
  reader: DocumentReader,
  source: DocumentSource,
  profile: unknown,
  pageCount: number,
  signal: AbortSignal,
): Promise<void> {
  for (let first = 1; first <= pageCount; first += PAGES_A_BATCH) {
    const numbers = Array.from(
      { length: Math.min(PAGES_A_BATCH, pageCount - first + 1) },
      (_, at) => first + at,
    );
    await reader.readPages(source, profile, numbers, signal);
  }
}

async function withReader<T>(use: (reader: DocumentReader) => Promise<T>): Promise<T> {
  const reader = createDocumentReader({ createPool: createProcessPool, slots: 1 });
  try {
    return await use(reader);
  } finally {
    await reader.close();
  }
}

async function bareEngine(path: string, what: 'text' | 'operators'): Promise<number> {
  const { stdout } = await runProgram(process.execPath, [BARE_ENGINE, path, what]);
  return Number(stdout);
}
