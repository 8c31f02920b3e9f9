import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';
import type { Half } from '../half.ts';
import { unpackDebian } from '../systems/debian-packages.ts';

export const KINDS = ['plain', 'paraphrase', 'typo', 'language', 'table'] as const;
export type Kind = (typeof KINDS)[number];

const question = z.strictObject({
  question: z.string().min(1),
  /**
   * In words of the manual; without its key words; misspelt; in another language than the manual; for a value out
   * of a table.
   */
  kind: z.enum(KINDS),
  /** Verbatim quotes of the passages that answer. */
  answers: z.array(z.string().min(1)).min(1),
});

const manual = z.strictObject({
  name: z.string(),
  /** ISO 639-1. */
  language: z.string().length(2),
  package: z.string(),
  /** The version of the package that the questions were written on. */
  version: z.string(),
  /** Paths in the package; several are parts of one manual, in order. */
  files: z.array(z.string()).min(1),
  questions: z.array(question),
});

/** A manual of Debian's documentation with questions that a person wrote while reading it. */
export type QuestionedManual = z.output<typeof manual>;
export type Question = z.output<typeof question>;
/** A question, and the manual that answers it. */
export type AskedQuestion = Question & { manual: string };

const FOLDERS: Record<Half, string> = { development: './questions/', 'held-out': './questions/held-out/' };

/** The manuals of a half, in the order of their names, as declared: nothing is fetched. */
export async function readManuals(half: Half): Promise<QuestionedManual[]> {
  const folder = fileURLToPath(new URL(FOLDERS[half], import.meta.url));
  const names = (await readdir(folder)).filter((name) => extname(name) === '.json').toSorted();
  return Promise.all(
    names.map(async (name) => manual.parse(JSON.parse(await readFile(join(folder, name), 'utf8')))),
  );
}

/**
 * The files of a manual in the project's cache, downloaded if they are missing.
 *
 * @throws Error if apt or the package is not available
 */
export async function fetchManual({ package: name, files }: QuestionedManual): Promise<string[]> {
  const root = await unpackDebian(name, [name]);
  return Promise.all(files.map((file) => unzipped(join(root, file))));
}

async function unzipped(path: string): Promise<string> {
  if (!path.endsWith('.gz')) return path;
  const target = path.slice(0, -'.gz'.length);
  if (!existsSync(target)) await writeFile(target, gunzipSync(await readFile(path)));
  return target;
}
