import { ModelError } from '../../../adapters/models/model-error.ts';
import { createOpenAiVision } from '../../../adapters/models/vision/openai-vision.ts';
import { bestByWords } from '../../../engines/text-work/ask/best-sentences.ts';
import type { TextWork } from '../../../engines/text-work/text-work.ts';
import type { Passage } from '../../../domain/ask/answer.ts';
import { startEndpoint, type Respond, type ShownPassage } from './endpoint.ts';
import { DOCUMENTS, INJECTION, OBEYED, textOf, UNANSWERED, type AskedDocument, type Fact } from './facts.ts';
import { negated, otherNumbers, spliced } from './lies.ts';

/** What a model answers to a question about a fact, with the passages that it got. */
type Behaviour = (asked: Asked) => unknown;

interface Asked {
  fact: Fact;
  language: string;
  /** Another fact of the same document, and one of another document. */
  beside: Fact;
  elsewhere: Fact;
  passages: readonly ShownPassage[];
}

/** How sentences of one kind of model were marked. */
export interface Marked {
  name: string;
  questions: number;
  sentences: number;
  supported: number;
  /** Sentences with a quote that is not in the passage it names, and still returned. */
  falseQuotes: number;
  /** Questions that ended as failures of the model. */
  refused: number;
}

const PASSAGES = 8;
const TENANT = { tenantId: '00000000-0000-0000-0000-000000000000' };

/** Models whose sentences are true. */
export const TRUE_MODELS: Readonly<Record<string, Behaviour>> = {
  'true, whole sentences of the document': (asked) => answer(asked, asked.fact.source),
  'true, in the words of the document': (asked) => answer(asked, asked.fact.near),
  'true, in words of its own': (asked) => answer(asked, asked.fact.free),
};

/** Models whose sentences or quotes are false. */
export const LYING_MODELS: Readonly<Record<string, Behaviour>> = {
  'true quote, false sentence': (asked) => answer(asked, asked.fact.lie),
  'true quote, other numbers': (asked) => answer(asked, otherNumbers(asked.fact.near)),
  'true quote, negation turned': (asked) => answer(asked, negated(asked.fact.near, asked.language)),
  'true quote, sentence about something else': (asked) => answer(asked, asked.elsewhere.near),
  'true quote, halves of two sentences': (asked) =>
    answer(asked, spliced(asked.fact.near, asked.beside.near)),
  'true sentence, quote from another document': ({ fact, elsewhere, passages }) =>
    quoting(fact.near, placeOf(fact.source, passages), elsewhere.source),
  'true sentence, quote of another fact': (asked) => answer(asked, asked.fact.near, asked.beside.source),
  'true sentence, unknown passage': ({ fact }) => quoting(fact.near, 99, fact.source),
  'false sentence, invented quote': ({ fact, passages }) =>
    quoting(fact.lie, placeOf(fact.source, passages), fact.lie),
  'false sentence, many quotes': ({ fact, beside, passages }) =>
    said(fact.lie, [
      { passage: placeOf(fact.source, passages), quote: fact.source },
      { passage: placeOf(beside.source, passages), quote: beside.source },
    ]),
  'no quote': ({ fact }) => said(fact.near, []),
  'obeys a document': (asked) => answer(asked, OBEYED),
  'obeys a document and quotes the order': ({ passages }) =>
    quoting(OBEYED, placeOf(INJECTION, passages), INJECTION),
};

/** Replies that are no answer. */
export const BROKEN_MODELS: Readonly<Record<string, Behaviour>> = {
  'invalid JSON': () => '{"answered": true, "sentences": [{',
  'another schema': () => ({ answer: 'yes' }),
  'two megabytes': () => ({ answered: true, sentences: [{ text: 'x'.repeat(2 ** 21), quotes: [] }] }),
};

/**
 * Asks the questions of the documents, by way of an endpoint that behaves like this, and checks the answers.
 *
 * @param every asks only every so many questions
 */
export async function measureAnswers(
  name: string,
  behave: Behaviour,
  text: TextWork,
  every = 1,
): Promise<Marked> {
  const facts = DOCUMENTS.flatMap((document, index) =>
    document.facts.map((fact, at) => ({
      fact,
      language: document.language,
      beside: document.facts[(at + 3) % document.facts.length] ?? fact,
      elsewhere: DOCUMENTS[(index + 1) % (DOCUMENTS.length - 1)]?.facts[at] ?? fact,
    })),
  );
  const marked: Marked = { name, questions: 0, sentences: 0, supported: 0, falseQuotes: 0, refused: 0 };
  await withEndpoint(
    (question, passages) => {
      const known = facts.find(({ fact }) => fact.question === question);
      return known ? behave({ ...known, passages }) : { answered: false, sentences: [] };
    },
    async (ask) => {
      for (const { fact, beside } of facts.filter((_, at) => at % every === 0)) {
        const passages = findPassages(fact.question, [fact.source, beside.source, INJECTION]);
        marked.questions += 1;
        const written = await ask(fact.question, passages).catch((error: unknown) => {
          if (!(error instanceof ModelError)) throw error;
          marked.refused += 1;
          return undefined;
        });
        if (!written) continue;
        const sentences = await text.checkSentences(
          { sentences: written.sentences, passages, pages: [] },
          { ...TENANT, signal: AbortSignal.timeout(60_000) },
        );
        marked.sentences += sentences.length;
        marked.supported += sentences.filter(({ supported }) => supported).length;
        marked.falseQuotes += sentences
          .flatMap(({ citations }) => citations)
          .filter(({ chunkId, quote }) => !textById(passages, chunkId).includes(quote)).length;
      }
    },
  );
  return marked;
}

/** Questions without an answer, to a model that makes one up and quotes the first passage. */
export async function measureInvented(text: TextWork): Promise<Marked> {
  const name = 'no answer, made up';
  const marked: Marked = { name, questions: 0, sentences: 0, supported: 0, falseQuotes: 0, refused: 0 };
  await withEndpoint(
    (question, [first]) => quoting(`${question.replace('?', '')}: it is 42.`, 1, first?.text ?? ''),
    async (ask) => {
      for (const question of UNANSWERED) {
        const passages = findPassages(question, []);
        const { sentences: written } = await ask(question, passages);
        const signal = AbortSignal.timeout(60_000);
        const checked = await text.checkSentences(
          { sentences: written, passages, pages: [] },
          { ...TENANT, signal },
        );
        marked.questions += 1;
        marked.sentences += checked.length;
        marked.supported += checked.filter(({ supported }) => supported).length;
      }
    },
  );
  return marked;
}

/** How questions are answered by the sentences of the passages alone. */
export interface AnsweredOffline {
  /** Questions whose answer is among the sentences, and those where it is the first. */
  found: number;
  first: number;
  questions: number;
  /** Questions without an answer that got sentences. */
  answeredWrongly: number;
  unanswerable: number;
}

export async function measureOffline(text: TextWork): Promise<AnsweredOffline> {
  const facts = DOCUMENTS.flatMap((document) => document.facts);
  const result = {
    found: 0,
    first: 0,
    questions: facts.length,
    answeredWrongly: 0,
    unanswerable: UNANSWERED.length,
  };
  const pick = async (question: string) => {
    const given = { question, passages: findPassages(question, []), pages: [] };
    return bestByWords(await text.findCandidates(given, { ...TENANT, signal: AbortSignal.timeout(60_000) }));
  };
  for (const { question, source } of facts) {
    const found = await pick(question);
    if (found.some((sentence) => sentence.text === source)) result.found += 1;
    if (found[0]?.text === source) result.first += 1;
  }
  for (const question of UNANSWERED) if ((await pick(question)).length > 0) result.answeredWrongly += 1;
  return result;
}

/** All paragraphs of the documents, as passages. */
const ALL: readonly Passage[] = DOCUMENTS.flatMap((document) => passagesIn(document));

function passagesIn(document: AskedDocument): Passage[] {
  const [, ...paragraphs] = textOf(document).split('\n\n');
  return paragraphs.map((text, at) => ({
    chunkId: `${document.filename}/${at}`,
    documentId: document.filename,
    filename: document.filename,
    headingPath: [document.heading],
    pageNumbers: [1],
    text,
    similarity: null,
  }));
}

/** The passages with most words of a question, and those that a model must have seen to lie about them. */
function findPassages(question: string, required: readonly string[]): Passage[] {
  const asked = wordsIn(question);
  const rated = ALL.map((passage) => ({
    passage,
    score:
      (required.some((sentence) => passage.text.includes(sentence)) ? 100 : 0) +
      [...wordsIn(passage.text)].filter((word) => asked.has(word)).length,
  }));
  return rated
    .toSorted((a, b) => b.score - a.score)
    .slice(0, PASSAGES)
    .map(({ passage }) => passage);
}

function wordsIn(text: string): Set<string> {
  return new Set((text.toLowerCase().match(/\p{L}+/gu) ?? []).map((word) => word.slice(0, 5)));
}

function textById(passages: readonly Passage[], chunkId: string): string {
  return passages.find((passage) => passage.chunkId === chunkId)?.text ?? '';
}

function answer({ fact, passages }: Asked, text: string, source = fact.source): unknown {
  return quoting(text, placeOf(source, passages), source);
}

function quoting(text: string, passage: number, quote: string): unknown {
  return said(text, [{ passage, quote }]);
}

function said(text: string, quotes: readonly { passage: number; quote: string }[]): unknown {
  return { answered: true, sentences: [{ text, quotes }] };
}

function placeOf(sentence: string, passages: Asked['passages']): number {
  return passages.find(({ text }) => text.includes(sentence))?.passage ?? 0;
}

type Ask = (
  question: string,
  passages: readonly Passage[],
) => Promise<{ sentences: Parameters<TextWork['checkSentences']>[0]['sentences'] }>;

/** Asks an endpoint by way of the product's own client for models. */
async function withEndpoint(respond: Respond, use: (ask: Ask) => Promise<void>): Promise<void> {
  const endpoint = await startEndpoint(respond);
  const unused = () => Promise.reject(new Error('not used for answers'));
  const model = createOpenAiVision(
    { provider: 'openai', model: 'fake', baseUrl: endpoint.url, timeoutSeconds: 30 },
    { extractLocally: unused, checkAnswer: unused, layoutProblems: unused },
  );
  try {
    await use((question, passages) => {
      if (!model.documents) throw new Error('the model takes no questions');
      const signal = AbortSignal.timeout(60_000);
      return model.documents.answer({ question, passages, maxOutputTokens: 4096 }, { signal });
    });
  } finally {
    endpoint.close();
  }
}
