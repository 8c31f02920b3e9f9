import { answers, bare } from '../retrieval/answers.ts';
import type { AskedQuestion } from '../retrieval/manuals.ts';
import type { Respond, ShownPassage } from './endpoint.ts';
import { cutOff, exchanged, negated, otherName, otherNumbers, spliced, unbound } from './lies.ts';

/** A question on a manual, and the language of the manual. */
export type ManualQuestion = AskedQuestion & { language: string };

/** Sentences that a quote may run over. */
const MOST_SENTENCES = 4;

interface Written {
  text: string;
  quotes: { passage: number; quote: string }[];
}

/** A lie, and what it is. */
export interface Lie extends Written {
  kind: string;
}

/** Says the sentences of a passage that have a quote which answers, word by word; without one, that there is no answer. */
export function honest(questions: readonly ManualQuestion[]): Respond {
  return (question, passages) => {
    const known = questions.find((each) => each.question === question);
    const truth = known && truthIn(passages, known);
    const sentences = truth?.sentences.map((text) => ({
      text,
      quotes: [{ passage: truth.passage, quote: text }],
    }));
    return { answered: sentences !== undefined, sentences: sentences ?? [] };
  };
}

/** Says every lie that it can make of the answer, or of the first passages. @param tell gets them in the order of the answer */
export function lying(
  questions: readonly ManualQuestion[],
  tell: (question: string, lies: readonly Lie[]) => void,
): Respond {
  return (question, passages) => {
    const known = questions.find((each) => each.question === question);
    const lies = known ? liesAbout(known, passages) : inventionsFor(question, passages);
    tell(question, lies);
    return { answered: true, sentences: lies.map(({ text, quotes }) => ({ text, quotes })) };
  };
}

interface Truth {
  passage: number;
  sentences: string[];
}

/** The first passage that answers, and its sentences with the quote. */
function truthIn(passages: readonly ShownPassage[], question: ManualQuestion): Truth | undefined {
  for (const { passage, text } of passages) {
    if (!answers(bare(text), question)) continue;
    const sentences = sentencesOf(text, question.language);
    for (let count = 1; count <= MOST_SENTENCES; count++) {
      for (let at = 0; at + count <= sentences.length; at++) {
        const some = sentences.slice(at, at + count);
        if (answers(bare(some.join(' ')), question)) return { passage, sentences: some };
      }
    }
  }
  return undefined;
}

/** Sentences as any reader divides them: not by the code that checks answers. */
function sentencesOf(text: string, language: string): string[] {
  const blocks = text.split(/\n\s*\n|\n(?=\s*(?:[-*•–|]|\d{1,3}[.)])\s)/);
  const segmenter = new Intl.Segmenter(language, { granularity: 'sentence' });
  return blocks.flatMap((block) => {
    const plain = block.replace(/^\s*(?:[-*•–]|\d{1,3}[.)])\s+/, '').replaceAll(/\s+/g, ' ');
    const whole = block.trimStart().startsWith('|');
    const found = whole ? [plain] : [...segmenter.segment(plain)].map(({ segment }) => segment);
    return found.map((sentence) => sentence.trim()).filter((sentence) => /\p{L}/u.test(sentence));
  });
}

function liesAbout(question: ManualQuestion, passages: readonly ShownPassage[]): Lie[] {
  const { language } = question;
  const [first] = passages;
  if (!first) return [];
  const { passage, sentences } = truthIn(passages, question) ?? {
    passage: first.passage,
    sentences: sentencesOf(first.text, language).slice(0, 1),
  };
  const truth = sentences.join(' ');
  const others = passages.filter(({ text }) => !bare(text).includes(bare(sentences[0] ?? '')));
  const [other] = others;
  const [away = truth] = other ? sentencesOf(other.text, language).filter((each) => each.length > 20) : [];
  const quotes = sentences.map((quote) => ({ passage, quote }));
  const changed = [
    ['another number', otherNumbers(truth)],
    ['another name', otherName(truth, away)],
    ['a negation put in or left out', negated(truth, language)],
    ['two words exchanged', exchanged(truth)],
    ['a word such as only, if or must changed', unbound(truth)],
    ['a half-truth: its last third left out', cutOff(truth)],
    ['the beginning of it, the end of another', spliced(truth, away)],
  ] as const;
  return [
    ...changed.map(([kind, text]) => ({ kind, text, quotes })),
    ...(other
      ? [
          {
            kind: 'true, from another passage',
            text: truth,
            quotes: sentences.map((quote) => ({ passage: other.passage, quote })),
          },
          {
            kind: 'true, with the sentence of another passage',
            text: truth,
            quotes: [{ passage: other.passage, quote: away }],
          },
        ]
      : []),
    {
      kind: 'true, from a passage that does not exist',
      text: truth,
      quotes: sentences.map((quote) => ({ passage: 99, quote })),
    },
    {
      kind: 'false, with itself as its quote',
      text: otherNumbers(truth),
      quotes: [{ passage, quote: otherNumbers(truth) }],
    },
    {
      kind: 'false, with the whole passage',
      text: otherNumbers(truth),
      quotes: wholePassage(passages, passage),
    },
  ].filter(({ text, kind }) => kind.startsWith('true') || bare(text) !== bare(truth));
}

/** Answers to a question without one: of its words, and of a sentence of a passage about it. */
function inventionsFor(question: string, passages: readonly ShownPassage[]): Lie[] {
  const [first] = passages;
  if (!first) return [];
  const [sentence = ''] = sentencesOf(first.text, 'en').filter((each) => each.length > 20);
  const quotes = [{ passage: first.passage, quote: sentence }];
  return [
    { kind: 'made up', text: `${question.replace('?', '')}: 42.`, quotes },
    { kind: 'made up of a sentence about something else', text: otherName(sentence, question), quotes },
    {
      kind: 'made up, with the whole passage',
      text: 'Yes, it does.',
      quotes: wholePassage([first], first.passage),
    },
  ];
}

function wholePassage(
  passages: readonly ShownPassage[],
  number: number,
): { passage: number; quote: string }[] {
  const text = passages.find(({ passage }) => passage === number)?.text ?? '';
  return [{ passage: number, quote: text.slice(0, 2900) }];
}
