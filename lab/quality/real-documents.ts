/**
 * Real PDFs from Debian packages. Their structure is not annotated, so only measures that do not need it are
 * reported.
 */
import { join } from 'node:path';
import { createDocumentReader } from '../../engines/document-reader/create-document-reader.ts';
import { plainText } from 'darkroom-reader/document';
import { createProcessPool } from '../../engines/hosts/process-pool.ts';
import { characterErrors } from './metrics.ts';
import { unpackDebian } from './systems/debian-packages.ts';
import type { System } from './systems/system.ts';

/** Typeset with LaTeX, Texinfo and DocBook: tables of contents, lists, code, formulas, dumps and figures. */
const DOCUMENTS: readonly { name: string; package: string; path: string }[] = [
  { name: 'gnuplot', package: 'gnuplot-doc', path: 'usr/share/doc/gnuplot/gnuplot.pdf' },
  { name: 'Octave', package: 'octave-doc', path: 'usr/share/doc/octave/octave.pdf' },
  { name: 'Octave reference card', package: 'octave-doc', path: 'usr/share/doc/octave/refcard-a4.pdf' },
  { name: 'Libtasn1', package: 'libtasn1-doc', path: 'usr/share/doc/libtasn1-doc/libtasn1.pdf' },
  {
    name: 'MIME database',
    package: 'shared-mime-info',
    path: 'usr/share/doc/shared-mime-info/shared-mime-info-spec.pdf',
  },
  { name: 'R extensions', package: 'r-doc-pdf', path: 'usr/share/R/doc/manual/R-exts.pdf' },
];
/** Pages in the middle of a document whose text is compared. */
const COMPARED_PAGES = 10;
const COMPARED_CHARACTERS = 10_000;
const BATCH = 25;

/**
 * The path of a real document in the project's cache, downloaded if it is missing.
 *
 * @throws Error if apt or the package is not available
 */
export async function realDocument(name: 'gnuplot' | 'Octave'): Promise<string> {
  const document = DOCUMENTS.find((each) => each.name === name);
  if (!document) throw new Error(`there is no document ${name}`);
  return join(await unpackDebian(document.package, [document.package]), document.path);
}

/** One line per document: its pages, the detected elements, and the difference of its text from that of pdftotext. */
export async function realDocuments(systems: readonly System[], stop: AbortSignal): Promise<string> {
  const lines: string[] = [];
  for (const document of DOCUMENTS) {
    const root = await unpackDebian(document.package, [document.package]).catch((error: unknown) => {
      lines.push(`Real document: ${document.name} SKIPPED, not available: ${String(error).split('\n')[0]}`);
      return undefined;
    });
    if (root !== undefined)
      lines.push(await readWhole(document.name, join(root, document.path), systems, stop));
  }
  return lines.join('\n');
}

async function readWhole(
  name: string,
  path: string,
  systems: readonly System[],
  stop: AbortSignal,
): Promise<string> {
  const reader = createDocumentReader({ createPool: createProcessPool, slots: 1 });
  try {
    const source = { path, type: 'pdf' as const, tenantId: 'quality' };
    const start = performance.now();
    const { pageCount, profile, pagesToRecognise } = await reader.inspect(source, stop);
    const kinds = new Map<string, number>();
    const middle = Math.floor(pageCount / 2);
    let text = '';
    for (let first = 1; first <= pageCount; first += BATCH) {
      const count = Math.min(BATCH, pageCount - first + 1);
      const numbers = Array.from({ length: count }, (_, index) => first + index);
      for (const { pageNumber, elements } of await reader.readPages(source, profile, numbers, stop)) {
        for (const element of elements) {
          kinds.set(element.type, (kinds.get(element.type) ?? 0) + 1);
          if (pageNumber > middle && pageNumber <= middle + COMPARED_PAGES) text += `${plainText(element)}\n`;
        }
      }
    }
    const took = ((performance.now() - start) / 1000).toFixed(1);
    const found = [...kinds].map(([kind, count]) => `${count} ${kind}`).join(', ');
    return [
      `Real document: ${name}, ${pageCount} pages in ${took} s, ${pagesToRecognise.length} without text; ${found}`,
      await agreement(text, path, systems),
    ].join('; ');
  } finally {
    await reader.close();
  }
}

/** Compares only the sequence of letters and digits, because programs differ in spaces and table markup. */
async function agreement(text: string, path: string, systems: readonly System[]): Promise<string> {
  const peer = systems.find(({ name }) => name.startsWith('pdftotext'));
  if (!peer) return 'text not compared: pdftotext is not available';
  const bare = (some: string): string => some.replaceAll(/[^\p{L}\p{N}]+/gu, '');
  const document = {
    name: '',
    group: 'text layer',
    type: 'pdf',
    bytes: new Uint8Array(),
    truth: [],
  } as const;
  const other = bare((await peer.extract({ ...document, truth: [] }, path))?.text ?? '');
  const ours = bare(text).slice(0, COMPARED_CHARACTERS);
  // pdftotext does not report pages, so the start of our part is located by its text.
  const at = other.indexOf(ours.slice(200, 240));
  if (at < 0) return `its text was not found in that of ${peer.name}`;
  const from = Math.max(0, at - 200);
  const { errors, characters } = characterErrors(ours, other.slice(from, from + ours.length));
  return `letters differ from ${peer.name} by ${((errors / Math.max(1, characters)) * 100).toFixed(1)} %`;
}
