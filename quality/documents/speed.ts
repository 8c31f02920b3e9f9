/** O2, and memory: many pages of text through the reader and through the bare engine, in turns. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createDocumentReader } from '../../adapters/document-reader/create-document-reader.ts';
import type { DocumentSource } from '../../adapters/document-reader/document-reader.ts';

const ROUNDS = 7;
const BATCH = 25;

export interface Speed {
  pages: number;
  /** Pages a second: the bare engine, reading with a known profile, and inspecting and reading. Medians. */
  bare: number;
  read: number;
  whole: number;
}

export async function measureSpeed(path: string, pages: number, signal: AbortSignal): Promise<Speed> {
  const source: DocumentSource = { path, type: 'pdf' };
  const rates: { bare: number[]; read: number[]; whole: number[] } = { bare: [], read: [], whole: [] };
  for (let round = 0; round < ROUNDS; round++) {
    rates.bare.push(pages / (await bareSeconds(path)));
    const reader = createDocumentReader({ slots: 1 });
    try {
      const { profile } = await reader.inspect(source, signal);
      await reader.close();
      const fresh = createDocumentReader({ slots: 1 });
      try {
        // The process is up and its engine compiled, but it knows no page.
        await fresh.readPages(source, profile, [1], signal);
        rates.read.push(
          (pages - 1) / (await seconds(() => readAll(fresh, source, profile, 2, pages, signal))),
        );
      } finally {
        await fresh.close();
      }
      const both = createDocumentReader({ slots: 1 });
      try {
        await both.renderPage(source, 1, signal);
        rates.whole.push(
          pages /
            (await seconds(async () => {
              const facts = await both.inspect(source, signal);
              await readAll(both, source, facts.profile, 1, pages, signal);
            })),
        );
      } finally {
        await both.close();
      }
    } finally {
      await reader.close();
    }
  }
  return { pages, bare: median(rates.bare), read: median(rates.read), whole: median(rates.whole) };
}

async function readAll(
  reader: ReturnType<typeof createDocumentReader>,
  source: DocumentSource,
  profile: unknown,
  from: number,
  to: number,
  signal: AbortSignal,
): Promise<void> {
  for (let first = from; first <= to; first += BATCH) {
    const numbers = Array.from({ length: Math.min(BATCH, to - first + 1) }, (_, index) => first + index);
    await reader.readPages(source, profile, numbers, signal);
  }
}

/** In a process of its own, as the reader is. */
async function bareSeconds(path: string): Promise<number> {
  const child = spawn(process.execPath, [fileURLToPath(new URL('bare-engine.ts', import.meta.url)), path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => (output += String(chunk)));
  await once(child, 'close');
  return Number(output);
}

/** Growth of the reader's process over many pages, in MiB: after the first ten, and at its highest. */
export async function measureMemory(path: string, pages: number, signal: AbortSignal): Promise<number> {
  const reader = createDocumentReader({ slots: 1, idleRssBytes: Infinity, maxRssBytes: Infinity });
  const source: DocumentSource = { path, type: 'pdf' };
  try {
    await readAll(reader, source, undefined, 1, Math.min(10, pages), signal);
    const start = await childRss();
    let most = start;
    const look = async (): Promise<void> => {
      most = Math.max(most, await childRss());
    };
    const watch = setInterval(() => void look(), 100);
    const { profile } = await reader.inspect(source, signal);
    await readAll(reader, source, profile, 1, pages, signal);
    clearInterval(watch);
    return (most - start) / 2 ** 20;
  } finally {
    await reader.close();
  }
}

/** The only child of this process that is a reader. */
async function childRss(): Promise<number> {
  const children = (await readFile(`/proc/self/task/${process.pid}/children`, 'utf8').catch(() => ''))
    .trim()
    .split(' ');
  let bytes = 0;
  for (const pid of children) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (!command.includes('darkroom-reader')) continue;
    const statm = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => '');
    bytes = Math.max(bytes, Number(statm.split(' ')[1] ?? 0) * 4096);
  }
  return bytes;
}

async function seconds(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
