import { createTextEmbedding } from '../../../adapters/models/text-embedding/create-text-embedding.ts';
import { textEmbeddingConfig } from '../../../adapters/models/text-embedding/config.ts';
import type { TextEmbedding } from '../../../adapters/models/text-embedding/text-embedding.ts';
import { visionConfig } from '../../../adapters/models/vision/config.ts';
import { UsageError } from '../../../cli/shared/usage-error.ts';
import { embeddedText } from '../../../services/documents/index-chunks.ts';
import type { Darkroom } from '../systems/darkroom.ts';
import { answers, bare, LOOKED_AT, rankOf } from './answers.ts';
import { installBm25 } from './bm25.ts';
import { cachedEmbedding } from './cached-embedding.ts';
import { dumpDevelopment } from './dump-development.ts';
import type { Half } from '../half.ts';
import { type AskedQuestion, readManuals } from './manuals.ts';
import { startPassageStore } from './passage-store.ts';
import { type DividedFile, divideManual } from './passages.ts';

/** A question, and where its answer stands. */
export interface Ranked extends AskedQuestion {
  /** From 1; 0 if not among the first ten hits. */
  rank: number;
}

/** How one way to search answered all questions. */
export interface SearchResult {
  search: string;
  passages: number;
  ranked: Ranked[];
}

export interface RetrievalOptions {
  half: Half;
  /** Only manuals whose name contains it. */
  only: string;
  /** Without BM25. */
  alone: boolean;
  darkroom: Darkroom;
  env: NodeJS.ProcessEnv;
  stop: AbortSignal;
  progress: (what: string) => void;
}

/** What a search may return, ready to be compared with answers. */
interface Passage {
  manual: string;
  bare: string;
}

/** Asks the questions of a half of several searches among the passages of all its manuals together. */
export async function measureRetrieval(options: RetrievalOptions): Promise<SearchResult[]> {
  const { half, only, alone, darkroom, env, stop, progress } = options;
  const manuals = (await readManuals(half)).filter(({ name }) => name.includes(only));
  if (manuals.length === 0) throw new UsageError(`No manual has a name that contains "${only}".`);
  const questions = manuals.flatMap(({ name, questions: own }) =>
    own.map((question) => ({ ...question, manual: name })),
  );
  const files: DividedFile[] = [];
  for (const manual of manuals) {
    stop.throwIfAborted();
    progress(`reading ${manual.name}`);
    files.push(...(await divideManual(manual, darkroom)));
  }
  const textEmbedding = await cachedEmbedding(
    await createTextEmbedding({ ...textEmbeddingConfig.parse(env), ...visionConfig.parse(env) }),
  );
  try {
    const results = await askDarkroom(files, questions, textEmbedding, options);
    // The held-out half is only ever scored.
    if (half === 'development' && only === '') await dumpDevelopment(files, questions, textEmbedding, stop);
    return [...results, ...(alone ? [] : await askBm25(files, questions, stop))];
  } finally {
    await textEmbedding.close();
  }
}

/** Of the real search, and of its vectors alone. */
async function askDarkroom(
  files: readonly DividedFile[],
  questions: readonly AskedQuestion[],
  textEmbedding: TextEmbedding,
  { env, stop, progress }: RetrievalOptions,
): Promise<SearchResult[]> {
  progress('starting servers');
  const store = await startPassageStore(env, textEmbedding, stop);
  try {
    const stored = new Map<string, Passage>();
    for (const file of files) {
      stop.throwIfAborted();
      progress(`storing ${file.manual}: ${file.filename}`);
      const ids = await store.add(file);
      for (const [at, { content }] of file.chunks.entries())
        stored.set(ids[at] ?? '', { manual: file.manual, bare: bare(content) });
    }
    const read = (ids: readonly string[]): Passage[] => ids.flatMap((id) => stored.get(id) ?? []);
    const ways = [
      { search: 'Darkroom', find: (query: string) => store.search(query, LOOKED_AT) },
      { search: 'vectors alone', find: (query: string) => store.near(query, LOOKED_AT) },
    ];
    const results: SearchResult[] = [];
    for (const { search, find } of ways) {
      const ranked: Ranked[] = [];
      for (const question of questions) {
        stop.throwIfAborted();
        progress(`${search}: ${question.question}`);
        ranked.push(rank(question, read(await find(question.question))));
      }
      results.push({ search, passages: stored.size, ranked });
    }
    return results;
  } finally {
    await store.close();
  }
}

/** Among the same chunks with their headings, as they are embedded, and among windows. */
async function askBm25(
  files: readonly DividedFile[],
  questions: readonly AskedQuestion[],
  stop: AbortSignal,
): Promise<SearchResult[]> {
  const search = await installBm25(stop);
  const chunks = files.flatMap(({ manual, chunks: own }) =>
    own.map((chunk) => ({ manual, text: embeddedText(chunk), bare: bare(chunk.content) })),
  );
  const windows = files.flatMap(({ manual, windows: own }) =>
    own.map((text) => ({ manual, text, bare: bare(text) })),
  );
  const ask = async (name: string, passages: readonly (Passage & { text: string })[]) => {
    const found = await search(
      passages.map(({ text }) => text),
      questions.map(({ question }) => question),
    );
    const ranked = questions.map((question, at) =>
      rank(
        question,
        (found[at] ?? []).flatMap((place) => passages[place] ?? []),
      ),
    );
    return { search: name, passages: passages.length, ranked };
  };
  return [await ask('BM25, same chunks', chunks), await ask('BM25, fixed windows', windows)];
}

function rank(question: AskedQuestion, hits: readonly Passage[]): Ranked {
  const found = hits.map((hit) => hit.manual === question.manual && answers(hit.bare, question));
  return { ...question, rank: rankOf(found) };
}
