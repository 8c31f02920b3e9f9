import { existsSync, globSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDocumentReader } from '../../../engines/document-reader/create-document-reader.ts';
import { ReaderCrashed } from '../../../engines/document-reader/document-reader.ts';
import { UnreadableDocument } from 'darkroom-reader';
import type { DocumentType } from 'darkroom-reader/document';
import { createProcessPool } from '../../../engines/hosts/process-pool.ts';
import { DecoderCrashed, DecoderTimeout, ImageRefused } from '../../../engines/image-decoder/errors.ts';
import { createImageDecoder } from '../../../engines/image-decoder/image-decoder.ts';
import { Finding, type Outcome, type Part } from '../run-part.ts';
import { isUnchanged, type Mutant, mutants, renderMutant, unchanged } from './mutants.ts';
import type { Seed } from './seeds.ts';

const TENANT = 'fuzz';
/** Beyond the budget of any of these files. */
const DEADLINE_MS = 30 * 60_000;
/** Pages that are read of a document, and rendered. */
const [MOST_READ, MOST_RENDERED] = [10, 2];
/** Above every confidence, so that lines are read as well. */
const ALL_LINES = 2;

/** Reads changed documents as the activities do: facts, pages, rendered pages and their images. */
export function documentPart(seeds: readonly Seed<DocumentType>[], folder: string): Part<Mutant> {
  const reader = createDocumentReader({ createPool: createProcessPool, slots: 1 });
  const handle = async (path: string, { type }: Seed): Promise<string> => {
    const source = { path, type: type as DocumentType, tenantId: TENANT };
    const { signal } = new AbortController();
    const { pageCount, pagesToRecognise, profile } = await reader.inspect(source, signal);
    const scans = new Set(pagesToRecognise);
    const pages = Array.from({ length: Math.min(pageCount, MOST_READ) }, (_, at) => at + 1);
    const read = pages.filter((page) => !scans.has(page));
    // The profile is stored as JSON between the two.
    const stored: unknown = JSON.parse(JSON.stringify(profile));
    if (read.length > 0) await reader.readPages(source, stored, read, signal, ALL_LINES);
    for (const pageNumber of [...scans].slice(0, MOST_RENDERED)) {
      const { turns } = await reader.renderPage(source, pageNumber, signal);
      await reader.showPage(source, { pageNumber, turns, maxDimension: 512 }, signal);
    }
    return type;
  };
  return filePart('documents', { seeds, folder, handle, close: () => reader.close() });
}

/** Renders changed images as the activities do. */
export function imagePart(seeds: readonly Seed[], folder: string): Part<Mutant> {
  const decoder = createImageDecoder({ slots: 1 });
  const handle = async (path: string, { type }: Seed): Promise<string> => {
    const original = readFileSync(path);
    const options = { tenantId: TENANT, label: TENANT };
    await decoder.render(original, { ...options, luminance: true });
    await decoder.view(original, { ...options, maxDimension: 512 });
    await decoder.margins(original, options);
    return type;
  };
  return filePart('images', { seeds, folder, handle, close: () => decoder.close() });
}

/**
 * A part that reads changed files in child processes of this one. Its end is a finding if a child or a file is left.
 *
 * @param parts.folder an empty folder
 * @param parts.handle reads a file and returns its type; a typed error is a refusal or a reported crash
 */
function filePart(
  name: string,
  parts: {
    seeds: readonly Seed[];
    folder: string;
    handle: (path: string, seed: Seed) => Promise<string>;
    close: () => Promise<void>;
  },
): Part<Mutant> {
  const { seeds, folder, handle, close } = parts;
  let files = 0;
  return {
    name,
    inputs: mutants(seeds),
    examples: unchanged(seeds),
    deadlineMs: DEADLINE_MS,
    async handle(mutant) {
      const { seed, bytes } = await renderMutant(seeds, mutant);
      const path = join(folder, `${(files += 1)}.${seed.type}`);
      writeFileSync(path, bytes);
      try {
        return { result: 'accepted', code: await handle(path, seed) };
      } catch (error) {
        const refusal = refusalOf(error);
        if (isUnchanged(mutant))
          throw new Finding(`${seed.name} is ${refusal.result} unchanged`, refusal.code);
        return refusal;
      } finally {
        rmSync(path);
      }
    },
    async save(mutant) {
      const { seed, bytes } = await renderMutant(seeds, mutant);
      return { extension: seed.type, bytes };
    },
    async close() {
      await close();
      const left = readdirSync(folder);
      if (left.length > 0) throw new Finding('files left behind', left.join(', '));
      const children = readingChildren();
      if (children.length > 0) throw new Finding('child processes left running', children.join(', '));
    },
  };
}

/** Pids of the child processes of this one that read files. Linux only. */
function readingChildren(): string[] {
  const children = globSync('/proc/self/task/*/children').flatMap((path) =>
    readFileSync(path, 'utf8').split(' '),
  );
  return children.filter((pid) => {
    const path = `/proc/${pid}/cmdline`;
    return pid !== '' && existsSync(path) && /^darkroom-(reader|decoder)/.test(readFileSync(path, 'utf8'));
  });
}

/** @throws the error, unless it is one that the activities expect */
function refusalOf(error: unknown): Outcome {
  if (error instanceof UnreadableDocument) return { result: 'refused', code: error.reason };
  if (error instanceof ImageRefused) return { result: 'refused', code: error.code };
  if (error instanceof DecoderTimeout) return { result: 'refused', code: 'took_too_long' };
  if (error instanceof ReaderCrashed || error instanceof DecoderCrashed)
    return { result: 'crashed', code: error.message };
  throw error;
}
