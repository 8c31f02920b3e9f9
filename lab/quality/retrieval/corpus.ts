import { createComposer, type Design, DESIGN } from '../generate/composer.ts';
import { asMarkdown, asWord } from '../generate/flow-documents.ts';
import { createRandom, type Random } from '../generate/random.ts';
import { scan } from '../generate/scan.ts';
import type { CorpusLanguage, Topic } from '../languages/corpus-language.ts';
import { LANGUAGES } from '../languages/index.ts';
import type { Group, QualityDocument, TruthBlock } from '../truth.ts';

/** A question that is answered by a fact which occurs in only one document. */
export interface Question {
  language: string;
  text: string;
  /** Name of the document that answers it. */
  document: string;
  /** The fact, which occurs only in the answer. */
  answer: string;
}

interface Corpus {
  documents: QualityDocument[];
  questions: Question[];
}

const DOCUMENTS_A_LANGUAGE = 6;
const QUESTIONS_A_DOCUMENT = 5;
const RIGHT_TO_LEFT = { regular: 'DejaVuSans.ttf', bold: 'DejaVuSans-Bold.ttf', rightToLeft: true };

/**
 * Generates documents and questions in each language. The documents of a language have the same sections with
 * different facts and different layouts.
 */
export async function makeCorpus(split: 'development' | 'held-out'): Promise<Corpus> {
  const corpus: Corpus = { documents: [], questions: [] };
  const half = split === 'development' ? 0 : 1;
  const takeNumber = createNumbers(createRandom(half + 5));
  for (const [at, language] of LANGUAGES.entries()) {
    const random = createRandom(1 + at * 100 + half * 9_000);
    for (let index = 0; index < DOCUMENTS_A_LANGUAGE; index++) {
      const name = language.names[index + half * DOCUMENTS_A_LANGUAGE] ?? '';
      const person = language.persons[index + half * DOCUMENTS_A_LANGUAGE] ?? '';
      const facts = shuffled(language.topics, random).map((topic) => ({
        topic,
        fact: topic.fact === 'person' ? person : takeNumber(topic.fact),
      }));
      const truth: TruthBlock[] = [
        { type: 'heading', level: 1, text: name },
        { type: 'paragraph', text: filler(language, random) },
        ...facts.flatMap(({ topic, fact }) => section(topic, fact, language, random, takeNumber)),
      ];
      corpus.documents.push(await asDocument(name, language.code, index, truth));
      for (const { topic, fact } of facts.slice(0, QUESTIONS_A_DOCUMENT)) {
        const asked = topic.questions[(language.topics.indexOf(topic) + half) % 2] ?? '';
        corpus.questions.push({
          language: language.code,
          text: asked.replace('@', name),
          document: name,
          answer: fact,
        });
      }
    }
  }
  return corpus;
}

type TakeNumber = (kind: 'year' | 'number') => string;

function createNumbers(random: Random): TakeNumber {
  const taken = new Set<number>();
  return (kind) => {
    for (;;) {
      const number = kind === 'year' ? random.between(1400, 1999) : random.between(2100, 9899);
      if (taken.has(number)) continue;
      taken.add(number);
      return String(number);
    }
  };
}

function section(
  { heading, statement }: Topic,
  fact: string,
  language: CorpusLanguage,
  random: Random,
  takeNumber: TakeNumber,
): TruthBlock[] {
  const begins: TruthBlock[] = [
    { type: 'heading', level: 2, text: heading },
    { type: 'paragraph', text: filler(language, random) },
  ];
  if (statement.includes('|')) {
    const rows = statement.split('|').map((label, row) => [label, row === 1 ? fact : takeNumber('number')]);
    return [...begins, { type: 'table', rows: [[heading, '2023'], ...rows] }];
  }
  // The fact is neither the first nor the last sentence.
  const text = [filler(language, random, 2), statement.replace('#', fact), filler(language, random, 2)];
  return [...begins, { type: 'paragraph', text: text.join(' ') }];
}

const filler = (language: CorpusLanguage, random: Random, sentences = 4): string =>
  shuffled(language.filler, random).slice(0, sentences).join(' ');

function shuffled<T>(values: readonly T[], random: Random): T[] {
  return values
    .map((value) => ({ value, at: random.next() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ value }) => value);
}

async function asDocument(
  name: string,
  language: string,
  index: number,
  truth: TruthBlock[],
): Promise<QualityDocument> {
  const own: Partial<Design> = language === 'ar' ? RIGHT_TO_LEFT : {};
  const pdf = (design: Partial<Design>) => composeBlocks(truth, { ...own, ...design });
  const document = (group: Group, type: QualityDocument['type'], bytes: Uint8Array): QualityDocument => ({
    name,
    group,
    type,
    bytes,
    truth,
  });
  switch (index) {
    case 0:
      return document('word', 'docx', await asWord(truth));
    case 1:
      return document('plain', 'md', new TextEncoder().encode(asMarkdown(truth)));
    case 2:
      return document(
        'text layer',
        'pdf',
        await pdf({ columns: 2, size: 9.5, justified: true, running: true }),
      );
    case 3:
      if (language !== 'en') return document('text layer', 'pdf', await pdf({ size: 12, running: true }));
      return document(
        'clean scan',
        'pdf',
        await scan(await pdf({}), { dpi: 200, skew: 0, noise: 0, blur: 0 }, index, 4),
      );
    default:
      return document('text layer', 'pdf', await pdf({ indented: index === 5, margin: 50 + index * 6 }));
  }
}

/** Typesets blocks as a PDF. */
async function composeBlocks(blocks: readonly TruthBlock[], design: Partial<Design>): Promise<Uint8Array> {
  const composer = await createComposer({ ...DESIGN, ...design });
  for (const block of blocks) {
    if (block.type === 'heading') composer.heading(block.level, block.text);
    else if (block.type === 'list') composer.list(block.items);
    else if (block.type === 'table')
      composer.table(block.rows, {
        ruled: 'all',
        widths: block.rows[0]?.map((_, column) => (column === 0 ? 3 : 1)) ?? [],
        numbers: false,
      });
    else if (block.type === 'pair') composer.pairs([[block.key, block.value]], false);
    else composer.paragraph(block.text);
  }
  return (await composer.finish()).bytes;
}
