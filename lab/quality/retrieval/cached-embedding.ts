import { createHash } from 'node:crypto';
import { createWriteStream, existsSync } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { once } from 'node:events';
import { join } from 'node:path';
import type { TextEmbedding } from '../../../adapters/models/text-embedding/text-embedding.ts';
import { CACHE } from './passages.ts';

/** A model that embeds a text once and keeps its vector in the project's cache: 4,000 chunks take 15 minutes. */
export async function cachedEmbedding(embedding: TextEmbedding): Promise<TextEmbedding> {
  await mkdir(CACHE, { recursive: true });
  const name = embedding.model.replaceAll(/[^\w.-]/g, '_');
  const path = join(CACHE, `vectors-${name}-${embedding.dimension}.txt`);
  const known = await readVectors(path);
  const file = createWriteStream(path, { flags: 'a' });
  return {
    ...embedding,
    async embed(texts, options) {
      const keys = texts.map((text) =>
        createHash('sha256').update(`${options.role}\0${text}`).digest('base64'),
      );
      const missing = [...new Map(texts.map((text, at) => [keys[at] ?? '', text]))].filter(
        ([key]) => !known.has(key),
      );
      const vectors = await embedding.embed(
        missing.map(([, text]) => text),
        options,
      );
      for (const [at, [key]] of missing.entries()) {
        const vector = vectors[at] ?? [];
        known.set(key, vector);
        file.write(`${key} ${Buffer.from(Float64Array.from(vector).buffer).toString('base64')}\n`);
      }
      return keys.map((key) => known.get(key) ?? []);
    },
    async close() {
      file.end();
      await Promise.all([once(file, 'close'), embedding.close()]);
    },
  };
}

/** Only whole lines: an interrupted run may have written a part of one. */
async function readVectors(path: string): Promise<Map<string, number[]>> {
  const known = new Map<string, number[]>();
  if (!existsSync(path)) return known;
  const file = await open(path);
  for await (const line of file.readLines()) {
    const [key = '', vector = ''] = line.split(' ');
    const bytes = Buffer.from(vector, 'base64');
    if (bytes.length === 0 || bytes.length % Float64Array.BYTES_PER_ELEMENT !== 0) continue;
    known.set(key, [...new Float64Array(new Uint8Array(bytes).buffer)]);
  }
  return known;
}
