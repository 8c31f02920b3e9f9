/** Real PDFs from registries, whose structure nobody wrote down: what can be told without it is told. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createDocumentReader } from '../../adapters/document-reader/create-document-reader.ts';
import { PROJECT_ROOT } from '../../dev/project-root.ts';
import type { System } from './systems/system.ts';
import { characterErrors } from './metrics/character-errors.ts';

const run = promisify(execFile);
const CACHE = join(PROJECT_ROOT, '.cache', 'real-documents');
const CONTENTS_PAGES = 12;

/** The handbook of gnuplot from Debian: hundreds of pages by LaTeX, with contents, lists and figures. */
export async function realDocuments(
  folder: string,
  systems: readonly System[],
  stop: AbortSignal,
): Promise<string> {
  const path = await fetchHandbook(folder).catch((error: unknown) => String(error).split('\n')[0] ?? '');
  if (!existsSync(path))
    return `Real documents: SKIPPED, the handbook of gnuplot is not to be had from Debian (${path}).`;
  const reader = createDocumentReader({ slots: 1 });
  try {
    const source = { path, type: 'pdf' as const };
    const start = performance.now();
    const { pageCount, profile, pagesToRecognise } = await reader.inspect(source, stop);
    const kinds = new Map<string, number>();
    let text = '';
    for (let first = 1; first <= pageCount; first += 25) {
      const numbers = Array.from(
        { length: Math.min(25, pageCount - first + 1) },
        (_, index) => first + index,
      );
      for (const { pageNumber, elements } of await reader.readPages(source, profile, numbers, stop)) {
        for (const { type, content } of elements) {
          kinds.set(type, (kinds.get(type) ?? 0) + 1);
          if (pageNumber > CONTENTS_PAGES && pageNumber < CONTENTS_PAGES + 12) text += `${content}\n`;
        }
      }
    }
    const took = ((performance.now() - start) / 1000).toFixed(1);
    const found = [...kinds].map(([kind, count]) => `${count} ${kind}`).join(', ');
    return `Real document: handbook of gnuplot, ${pageCount} pages in ${took} s, ${pagesToRecognise.length} without text; ${found}; ${await agreement(text, path, systems)}`;
  } finally {
    await reader.close();
  }
}

async function agreement(text: string, path: string, systems: readonly System[]): Promise<string> {
  const peer = systems.find(({ name }) => name.startsWith('pdftotext'));
  if (!peer) return 'no pdftotext to compare the text with.';
  const document = {
    name: '',
    group: 'text layer' as const,
    type: 'pdf' as const,
    bytes: new Uint8Array(),
    truth: [],
  };
  const other = await peer.extract(document, path);
  const { errors, characters } = characterErrors(text.slice(0, 10_000), (other?.text ?? '').slice(0, 10_000));
  return `text differs from ${peer.name} by ${((errors / Math.max(1, characters)) * 100).toFixed(1)} %.`;
}

async function fetchHandbook(folder: string): Promise<string> {
  const kept = join(CACHE, 'gnuplot.pdf');
  if (existsSync(kept)) return kept;
  await run('apt-get', ['download', 'gnuplot-doc'], { cwd: folder });
  await run('sh', ['-c', 'dpkg-deb -x gnuplot-doc_*.deb gnuplot'], { cwd: folder });
  await mkdir(CACHE, { recursive: true });
  await copyFile(join(folder, 'gnuplot', 'usr/share/doc/gnuplot/gnuplot.pdf'), kept);
  return kept;
}
