import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { installPython } from '../../shared/virtual-environment.ts';
import { LOOKED_AT } from './answers.ts';

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Ranks passages for each of many questions; positions of the best ones, best first. */
export type Ranker = (passages: readonly string[], questions: readonly string[]) => Promise<number[][]>;

/**
 * BM25 of bm25s (k1 1.5, b 0.75) with the English Snowball stemmer and stop words, from PyPI in an environment of its
 * own.
 *
 * @throws UsageError if Python or PyPI is not available
 */
export async function installBm25(signal: AbortSignal): Promise<Ranker> {
  const requirements = here('bm25-requirements.txt');
  const proof: [string, string, string] = ['bin/python', '-c', 'import bm25s, Stemmer'];
  const folder = await installPython({ name: 'bm25', requirements, proof }, signal);
  return async (passages, questions) => {
    const child = spawn(join(folder, 'bin', 'python'), [here('bm25.py')], {
      stdio: ['pipe', 'pipe', 'inherit'],
      signal,
    });
    const exited = once(child, 'exit');
    child.stdin.end(JSON.stringify({ passages, questions, limit: Math.min(LOOKED_AT, passages.length) }));
    const [ranked, [code]] = await Promise.all([json(child.stdout), exited]);
    if (code !== 0) throw new Error(`BM25 ended with ${String(code)}`);
    return ranked as number[][];
  };
}
