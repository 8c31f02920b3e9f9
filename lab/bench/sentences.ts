import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createLocalTextEmbedding } from '../../adapters/models/text-embedding/local-text-embedding.ts';
import { PROJECT_ROOT } from '../../dev/project-root.ts';

/** A human-written sentence with its vector from the offline model. */
export interface Sentence {
  text: string;
  vector: Float32Array;
}

const FEWEST_LETTERS = 40;
const MOST_LETTERS = 300;
const CACHE = join(PROJECT_ROOT, '.cache', 'bench');

/** The sentences of this project's documentation, without duplicates. */
export async function readHandbooks(): Promise<string[]> {
  const docs = join(PROJECT_ROOT, 'docs');
  const names = (await readdir(docs)).filter((name) => name.endsWith('.md')).map((name) => join(docs, name));
  const pages = await Promise.all(
    [...names.toSorted(), join(PROJECT_ROOT, 'README.md')].map((path) => readFile(path, 'utf8')),
  );
  return [...new Set(pages.flatMap(sentencesOf))];
}

/** These sentences with their vectors, which take a minute or two to compute and are cached for the next run. */
export async function readSentences(progress: (text: string) => void): Promise<Sentence[]> {
  const texts = await readHandbooks();
  const embedding = createLocalTextEmbedding();
  const hash = createHash('sha256')
    .update(JSON.stringify([embedding.model, texts]))
    .digest('hex');
  const path = join(CACHE, `sentences-${hash.slice(0, 16)}.f32`);
  if (!existsSync(path)) {
    const vectors: number[] = [];
    for (const [at, text] of texts.entries()) {
      progress(`embedding sentence ${at} of ${texts.length}`);
      const [vector = []] = await embedding.embed([text], {
        role: 'query',
        signal: AbortSignal.timeout(60_000),
      });
      vectors.push(...vector);
    }
    await mkdir(CACHE, { recursive: true });
    await writeFile(`${path}.part`, Float32Array.from(vectors));
    await rename(`${path}.part`, path);
  }
  await embedding.close();
  const bytes = await readFile(path);
  const all = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
  const { dimension } = embedding;
  return texts.map((text, at) => ({ text, vector: all.subarray(at * dimension, (at + 1) * dimension) }));
}

/** The sentences in the prose of a Markdown file, without code, tables and markup. */
export function sentencesOf(markdown: string): string[] {
  const prose = markdown
    .replaceAll(/^```[\s\S]*?^```/gm, '\n\n')
    .replaceAll(/^(\||#|!\[).*$/gm, '\n\n')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*_<>]+/g, '');
  return prose.split(/\n\s*\n|\n\s*(?:-|\d+\.)\s/).flatMap((paragraph) =>
    paragraph
      .replaceAll(/\s+/g, ' ')
      .trim()
      .split(/(?<=[.!?:;]) (?=\p{L})/u)
      .filter((text) => text.length >= FEWEST_LETTERS && text.length <= MOST_LETTERS),
  );
}
