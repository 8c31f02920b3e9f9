import { createTextEmbedding } from '../../../adapters/models/text-embedding/create-text-embedding.ts';
import { textEmbeddingConfig } from '../../../adapters/models/text-embedding/config.ts';
import { visionConfig } from '../../../adapters/models/vision/config.ts';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { Tenant } from '../../../db/entities/accounts/tenant.ts';
import { startDisposableStack } from '../../../dev/launcher/disposable-stack.ts';
import type { VlmProvider } from '../../../domain/accounts/vlm-providers.ts';
import { Darkroom as Client, type Answer } from '../../../sdk/src/index.ts';
import { answers, bare } from '../retrieval/answers.ts';
import { cachedEmbedding } from '../retrieval/cached-embedding.ts';
import { readManuals } from '../retrieval/manuals.ts';
import { openPassageStore } from '../retrieval/passage-store.ts';
import { type DividedFile, divideManual } from '../retrieval/passages.ts';
import type { Darkroom } from '../systems/darkroom.ts';
import { startEndpoint } from './endpoint.ts';
import { honest, lying, type Lie, type ManualQuestion } from './manual-models.ts';
import { UNANSWERABLE } from './unanswerable.ts';

/** How the service answers questions on real manuals. */
export interface ManualAnswers {
  /** Chunks of all manuals. */
  passages: number;
  /** Questions that a manual answers. */
  asked: number;
  /** Of these, those whose passages have the answer. */
  found: number;
  /** Of a model that knows the truth. */
  honest: {
    /** Answers with the quote. */
    complete: number;
    /** Complete ones of which every sentence is supported. */
    supported: number;
    /** Complete ones that are not, as they were answered. */
    marked: string[];
  };
  /** Lies by kind; those that were marked as supported in `passed`. */
  lies: Map<string, { told: number; passed: string[] }>;
  /** Without a model: answers with the quote, and those whose first sentence has it. */
  offline: { found: number; first: number };
  /** Questions that no manual answers, and those that were said not to be in these documents. */
  unanswerable: { asked: number; honest: number; offline: number };
  /** Returned quotes that are not in the passage that they name. */
  falseQuotes: number;
}

export interface Asking {
  darkroom: Darkroom;
  env: NodeJS.ProcessEnv;
  stop: AbortSignal;
  progress: (what: string) => void;
}

/** The honest model is that of one provider, the lying one that of another. */
const HONEST = 'openai';
const LYING = 'google';
/** An account searches three times at once. */
const AT_ONCE = 3;
const TIMEOUT_SECONDS = 110;

/** Asks the development questions of a service with all their manuals: of an honest model, of one that lies, and of none. */
export async function measureManuals({ darkroom, env, stop, progress }: Asking): Promise<ManualAnswers> {
  const manuals = await readManuals('development');
  const questions = manuals.flatMap(({ name, language, questions: own }) =>
    own.map((question): ManualQuestion => ({ ...question, manual: name, language })),
  );
  const files: DividedFile[] = [];
  for (const manual of manuals) {
    progress(`reading ${manual.name}`);
    files.push(...(await divideManual(manual, darkroom)));
  }
  const told = new Map<string, readonly Lie[]>();
  const endpoints = await Promise.all([
    startEndpoint(honest(questions)),
    startEndpoint(lying(questions, (question, lies) => void told.set(question, lies))),
  ]);
  const [truthful, liar] = endpoints;
  progress('starting servers');
  const models = {
    OPENAI_BASE_URL: truthful.url,
    VISION_GOOGLE_BASE_URL: liar.url,
    VISION_GOOGLE_MODEL: 'fake',
  };
  const stack = await startDisposableStack({ ...env, ...models }, { signal: stop });
  const orm = createOrm(databaseConfig.parse(stack.env));
  try {
    const tenant = await orm.em.fork().findOneOrFail(Tenant, { tier: 'enterprise' });
    await storeManuals(files, { settings: stack.env, tenantId: tenant.id, env, stop, progress });
    const { api_url: baseUrl, api_key: apiKey } = stack.runInfo;
    const client = new Client({ baseUrl, apiKey });
    const allow = (providers: VlmProvider[]) =>
      orm.em.fork().nativeUpdate(Tenant, tenant.id, { allowedVlmProviders: providers });
    const askAll = async (providers: VlmProvider[]): Promise<Map<string, Answer>> => {
      await allow(providers);
      const left = [...questions.map(({ question }) => question), ...UNANSWERABLE];
      const all = new Map<string, Answer>();
      const askOn = async (): Promise<void> => {
        for (let question = left.shift(); question !== undefined; question = left.shift()) {
          stop.throwIfAborted();
          progress(`${providers[0] ?? 'no model'}: ${question}`);
          all.set(question, await client.ask(question, { timeout: TIMEOUT_SECONDS, signal: stop }));
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, askOn));
      return all;
    };
    const answersOf = {
      honest: await askAll([HONEST]),
      lying: await askAll([LYING]),
      offline: await askAll([]),
    };
    const passages = files.reduce((sum, { chunks }) => sum + chunks.length, 0);
    return { passages, ...tally(questions, answersOf, told) };
  } finally {
    await orm.close(true);
    await stack.stop({ keepData: false });
    for (const endpoint of endpoints) endpoint.close();
  }
}

async function storeManuals(
  files: readonly DividedFile[],
  {
    settings,
    tenantId,
    env,
    stop,
    progress,
  }: Omit<Asking, 'darkroom'> & { settings: Record<string, string>; tenantId: string },
): Promise<void> {
  const textEmbedding = await cachedEmbedding(
    await createTextEmbedding({ ...textEmbeddingConfig.parse(env), ...visionConfig.parse(env) }),
  );
  const store = openPassageStore(settings, { tenantId, textEmbedding, signal: stop });
  try {
    for (const file of files) {
      progress(`storing ${file.manual}: ${file.filename}`);
      await store.add(file);
    }
  } finally {
    await store.close();
    await textEmbedding.close();
  }
}

type AnswersOf = Record<'honest' | 'lying' | 'offline', Map<string, Answer>>;

function tally(
  questions: readonly ManualQuestion[],
  { honest: truthful, lying: liar, offline }: AnswersOf,
  told: ReadonlyMap<string, readonly Lie[]>,
): Omit<ManualAnswers, 'passages'> {
  const has = (texts: readonly { text: string }[] | undefined, question: ManualQuestion) =>
    answers(bare((texts ?? []).map(({ text }) => text).join(' ')), question);
  const complete = questions.filter((each) => has(truthful.get(each.question)?.sentences, each));
  const supported = complete.filter(({ question }) =>
    truthful.get(question)?.sentences.every((sentence) => sentence.supported),
  );
  const lies: ManualAnswers['lies'] = new Map();
  for (const [question, own] of told) {
    const sentences = liar.get(question)?.sentences ?? [];
    if (sentences.length !== own.length) throw new Error(`sentences of “${question}” are missing`);
    for (const [at, { kind, text }] of own.entries()) {
      const counted = lies.get(kind) ?? { told: 0, passed: [] };
      counted.told += 1;
      if (sentences[at]?.supported) counted.passed.push(`${question} → ${text}`);
      lies.set(kind, counted);
    }
  }
  const refusedBy = (all: Map<string, Answer>) =>
    UNANSWERABLE.filter((question) => all.get(question)?.answered === false).length;
  return {
    asked: questions.length,
    found: questions.filter((each) =>
      truthful.get(each.question)?.passages.some(({ content }) => answers(bare(content), each)),
    ).length,
    honest: {
      complete: complete.length,
      supported: supported.length,
      marked: complete
        .filter((each) => !supported.includes(each))
        .map(({ question }) => `${question} → ${textOf(truthful.get(question))}`),
    },
    lies,
    offline: {
      found: questions.filter((each) => has(offline.get(each.question)?.sentences, each)).length,
      first: questions.filter((each) => has(offline.get(each.question)?.sentences.slice(0, 1), each)).length,
    },
    unanswerable: {
      asked: UNANSWERABLE.length,
      honest: refusedBy(truthful),
      offline: refusedBy(offline),
    },
    falseQuotes: [truthful, liar, offline].flatMap((all) => [...all.values()]).flatMap(falseQuotesOf).length,
  };
}

function textOf(answer: Answer | undefined): string {
  return (answer?.sentences ?? []).map(({ text, supported }) => `${supported ? '+' : '-'}${text}`).join(' ');
}

function falseQuotesOf({ sentences, passages }: Answer): string[] {
  const contents = new Map(passages.map(({ chunk_id: id, content }) => [id, content]));
  return sentences
    .flatMap(({ citations }) => citations)
    .filter(({ chunk_id: id, quote }) => !contents.get(id)?.includes(quote))
    .map(({ quote }) => quote);
}
