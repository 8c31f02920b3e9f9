import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { normalise } from '../metrics.ts';
import type { System } from '../systems/system.ts';
import { makeCorpus, type Question } from './corpus.ts';
import { startPassageStore, type Passage } from './passage-store.ts';

const HITS = 5;

/** The share of questions answered by one of the first five passages, by program, kind of search and language. */
export interface Recall {
  program: string;
  search: 'hybrid' | 'vectors';
  passages: number;
  /** Mean number of tokens per passage. */
  tokens: number;
  /** Numbers of answered and asked questions, by language. */
  answered: Map<string, { found: number; asked: number }>;
  missed: Question[];
}

export interface RecallOptions {
  split: 'development' | 'held-out';
  systems: readonly System[];
  folder: string;
  env: NodeJS.ProcessEnv;
  stop: AbortSignal;
  progress: (what: string) => void;
}

/** Chunks the same documents with every program, and searches the passages of each for the same questions. */
export async function measureRecall({
  split,
  systems,
  folder,
  env,
  stop,
  progress,
}: RecallOptions): Promise<Recall[]> {
  const { documents, questions } = await makeCorpus(split);
  progress('starting servers');
  const store = await startPassageStore(env, stop);
  try {
    const supported = new Set<string>();
    const sizes = new Map<string, { passages: number; tokens: number }>();
    for (const [index, document] of documents.entries()) {
      const path = join(folder, `corpus-${index}.${document.type}`);
      await writeFile(path, document.bytes);
      for (const system of systems) {
        stop.throwIfAborted();
        progress(`${document.name}: ${system.name}`);
        const passages = await system.passages(document, path);
        if (!passages) continue;
        supported.add(`${system.name} ${document.name}`);
        await store.add(system.name, document.name, passages);
        const size = sizes.get(system.name) ?? { passages: 0, tokens: 0 };
        size.passages += passages.length;
        size.tokens += passages.reduce((sum, { tokenCount }) => sum + tokenCount, 0);
        sizes.set(system.name, size);
      }
    }
    const recalls: Recall[] = [];
    for (const { name: program } of systems) {
      const { passages, tokens } = sizes.get(program) ?? { passages: 0, tokens: 0 };
      const begin = (search: Recall['search']): Recall => ({
        program,
        search,
        passages,
        tokens: tokens / Math.max(1, passages),
        answered: new Map(),
        missed: [],
      });
      const both = { hybrid: begin('hybrid'), vectors: begin('vectors') };
      for (const question of questions) {
        stop.throwIfAborted();
        // Only documents that the program supports.
        if (!supported.has(`${program} ${question.document}`)) continue;
        progress(`${program}: ${question.text}`);
        const hits = await store.search(program, question.text, HITS);
        count(both.hybrid, question, hits.hybrid);
        count(both.vectors, question, hits.vectors);
      }
      recalls.push(both.hybrid, both.vectors);
    }
    return recalls;
  } finally {
    await store.close();
  }
}

function count({ answered, missed }: Recall, question: Question, hits: readonly Passage[]): void {
  const counts = answered.get(question.language) ?? { found: 0, asked: 0 };
  const found = hits.some(
    ({ document, content }) =>
      document === question.document && normalise(content).includes(normalise(question.answer)),
  );
  answered.set(question.language, { found: counts.found + (found ? 1 : 0), asked: counts.asked + 1 });
  if (!found) missed.push(question);
}
