import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { glob, mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { countTokens } from '../../../engines/text-work/count-tokens.ts';
import type { DividedChunk } from '../../../engines/text-work/languages.ts';
import { TASKS } from '../../../engines/text-work/tasks.ts';
import { PROJECT_ROOT } from '../../../dev/project-root.ts';
import { pageText } from '../../../domain/documents/chunking.ts';
import type { DocumentType } from 'darkroom-reader/document';
import type { Darkroom, ReadDocument } from '../systems/darkroom.ts';
import { fetchManual, type QuestionedManual } from './manuals.ts';

/** Documents and vectors of earlier runs, by the hash of what they were made of. */
export const CACHE = join(PROJECT_ROOT, '.cache', 'retrieval');

/** A file of a manual, divided in both ways. */
export interface DividedFile {
  manual: string;
  filename: string;
  /** As Darkroom knows it. */
  language: string | null;
  pageCount: number;
  chunks: DividedChunk[];
  /** Of the plain text of the same elements. */
  windows: string[];
}

/** Size of a window and of its overlap with the next one, in tokens. */
const WINDOW = { size: 300, overlap: 50 };
/** The sources that decide how a document is read. */
const READER = ['packages/reader/src/**/*.ts', 'domain/documents/*.ts'];

/** Reads and divides the files of a manual. A file that the same reader has read before is taken from the cache. */
export async function divideManual(manual: QuestionedManual, darkroom: Darkroom): Promise<DividedFile[]> {
  const divided: DividedFile[] = [];
  for (const path of await fetchManual(manual)) {
    const { pages, language } = await readCached(path, darkroom);
    divided.push({
      manual: manual.name,
      filename: basename(path),
      language,
      pageCount: pages.length,
      chunks: TASKS.settleDocument({ pages, language }).chunks,
      windows: windowsOf(pages.map(pageText).join('\n')),
    });
  }
  return divided;
}

async function readCached(path: string, darkroom: Darkroom): Promise<ReadDocument> {
  const bytes = await readFile(path);
  const key = createHash('sha256')
    .update(bytes)
    .update(await readerVersion())
    .digest('hex');
  const cached = join(CACHE, `${key}.json`);
  if (existsSync(cached)) return JSON.parse(await readFile(cached, 'utf8')) as ReadDocument;
  const type = extname(path).slice(1) as DocumentType;
  const document = { name: basename(path), group: 'text layer' as const, type, bytes, truth: [] };
  const read = await darkroom.read(document, path);
  await mkdir(CACHE, { recursive: true });
  await writeFile(cached, JSON.stringify(read));
  return read;
}

let version: Promise<string> | undefined;
const readerVersion = (): Promise<string> => (version ??= hashSources());

async function hashSources(): Promise<string> {
  const hash = createHash('sha256');
  const files: string[] = [];
  for await (const file of glob(READER, { cwd: PROJECT_ROOT })) files.push(file);
  for (const file of files.toSorted()) hash.update(file).update(await readFile(join(PROJECT_ROOT, file)));
  return hash.digest('hex');
}

/** Windows of whole words, without regard to structure, each with the end of the one before. */
export function windowsOf(text: string, { size, overlap } = WINDOW): string[] {
  const words = text.split(/\s+/).filter((word) => word !== '');
  const tokens = words.map((word) => countTokens(` ${word}`));
  const windows: string[] = [];
  for (let from = 0; from < words.length;) {
    const to = endOf(tokens, from, size);
    windows.push(words.slice(from, to).join(' '));
    if (to === words.length) break;
    const repeated = endOf(tokens.slice(from, to).toReversed(), 0, overlap);
    from = Math.max(from + 1, to - repeated);
  }
  return windows;
}

/** Where the most words end that have no more tokens than these together; at least one word. */
function endOf(tokens: readonly number[], from: number, most: number): number {
  let [to, sum] = [from + 1, tokens[from] ?? 0];
  while (to < tokens.length && sum + (tokens[to] ?? 0) <= most) sum += tokens[to++] ?? 0;
  return to;
}
