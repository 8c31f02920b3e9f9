import type { CitedPassage, FoundQuote } from './support.ts';
import { expectedOf } from './expected-answer.ts';
import { aboutWhatIsNamed } from './named-things.ts';
import { bareHeading, type TextUnit, unitsOf } from './sentences.ts';
import { tokensOf } from './tokens.ts';
import { UNKNOWN_LANGUAGE, vocabularyOf } from './vocabulary.ts';

const MOST = 3;
/** Share of the weight of the question's words that a sentence has, with its headings, to be an answer. */
const LEAST_SHARE = 0.5;
/** Candidates that a model is asked about, and those of them that are chosen by their words. */
const MOST_RATED = 16;
const BY_WORDS = 12;
/**
 * How sure the model has to be that a candidate answers, in logits, with what the words that it has of the question add
 * (decision 704): the model takes some plain answers for none, and most others for what they are.
 */
const LEAST_EVIDENCE = 5;
const EVIDENCE_OF_WORDS = 3;
/** Share of the score of the best sentence that the others must have. */
const LEAST_BESIDE_BEST = 0.75;
/** A passage that search found later counts less, by a little. */
const FADE = 0.03;
/** Words of a heading name the subject, but all sentences below share them. */
const HEADING_WEIGHT = 0.5;
const LONGEST = 800;
/** Characters before a sentence that are read with it. */
const MOST_BEFORE = 240;
/** Sentences of a paragraph that may say together what is asked: what it is about, and its value. */
const MOST_TOGETHER = 3;
const QUESTION = /[?？]\s*$/;
/** What is left of a numbered heading before the question that it is. */
const NUMBERING = /^\s*(?:\p{N}{1,3}\.){1,6}\s*$/u;
/** A line such as `Invoice date: 3 May 2026`. */
const LABELLED = /^\s*\p{L}[^:.!?\n]{0,40}:\s+\S/u;
const PARAGRAPH = /\n\s*\n/;
const BLANK = /^\s*$/;
const NO_HEADINGS: ReadonlySet<string> = new Set();

/** They ask, and are in no answer. */
const ASKING = new Set(
  (
    'what which who whom whose when where why how many much long often do does did can could should i my me we ' +
    'was welche welcher welches wer wem wen wann wo warum wie viel viele lange kann soll ich wir quel quelle quels quelles ' +
    'qui quand où pourquoi comment combien qué quién cuándo dónde cuánto cuánta cuántos cuántas cómo'
  ).split(' '),
);

/** Letters from which a word may be a misspelling, by the number of edits. */
const LETTERS_BY_EDITS = [5, 8];

/** A sentence, an item or a row that may answer a question. */
export interface Candidate extends FoundQuote {
  /** As it is judged: with the heading above it and what stands before it, and cells with the heads of their columns. */
  readable: string;
  /** As it is quoted where a model judges: with the sentence before, in which the model may have found the answer. */
  judged: string;
  /** Share of what is asked that it says, with its headings, by the weight of the words, 0–1. */
  share: number;
  /** The share, less for passages that the search found later. */
  score: number;
}

/**
 * The sentences, items and rows of passages by the words of a question that they have, of which those in few sentences count
 * most, best first; also those without any. A word that is nowhere stands for one that it may be a misspelling of. Headings
 * and questions are none, nor what lacks the kind of thing that is asked for, or is about something else than the question
 * names.
 */
export function answerCandidates(question: string, passages: readonly CitedPassage[]): Candidate[] {
  const ownVocabulary = vocabularyOf(question);
  const fits = expectedOf(question);
  const isAbout = aboutWhatIsNamed(question, passages, ownVocabulary);
  const units = passages.flatMap(({ text, rows, headings = NO_HEADINGS, ...cited }, passage) => {
    const headingPath = subjectOf(cited);
    const vocabulary = vocabularyOf(text, ownVocabulary);
    const wordsIn = (given: string, of = vocabulary) =>
      new Set(tokensOf(given, of).flatMap(({ key }) => (of.usual.has(key) ? [] : stem(key))));
    const above = wordsIn(headingPath.join('\n'));
    // A table or a list does not tell the language; the question does.
    const asked = [...wordsIn(question, ownVocabulary === UNKNOWN_LANGUAGE ? vocabulary : ownVocabulary)];
    return withWhatFollows(unitsOf(text, rows), text)
      .flatMap(labelledLines)
      .flatMap((unit, at, all) => {
        // What answers a question stands after it.
        const isQuestion = QUESTION.test(unit.text);
        const [next, ...following] = all.slice(isQuestion ? at + 1 : at, at + MOST_TOGETHER);
        if (!next || isHeading(next.text, headingPath, headings)) return [];
        return fitting(next, following, text, fits).flatMap((answer) => {
          if (QUESTION.test(answer.text) || NUMBERING.test(answer.text) || answer.text.length > LONGEST)
            return [];
          if (!isAbout(answer, passage)) return [];
          const words = wordsIn([isQuestion ? unit.text : answer.text, ...(answer.header ?? [])].join(' | '));
          const previous = previousOf(answer, isQuestion ? unit : all[at - 1]);
          const before = previous?.text.slice(-MOST_BEFORE).toWellFormed() ?? '';
          const readable = readableText(answer, [headingPath.at(-1) ?? '', answer.lead ?? '', before]);
          const isApart = !previous || isHeading(previous.text, headingPath, headings);
          const judged = isApart ? answer.text : withPrevious(answer, previous, text);
          return [{ passage, text: answer.text, asked, above, words, readable, judged }];
        });
      });
  });
  const written = new Set(units.flatMap(({ words, above }) => [...words, ...above]));
  const weights = new Map<string, number>();
  const spellings = new Map<string, string>();
  for (const given of new Set(units.flatMap(({ asked }) => asked))) {
    // `I` keeps its case, like a name of one letter.
    if (ASKING.has(given.toLowerCase())) continue;
    const word = written.has(given) ? given : (spellingOf(given, written) ?? given);
    spellings.set(given, word);
    const found = units.filter(({ words, above }) => words.has(word) || above.has(word)).length;
    weights.set(word, Math.log(1 + (units.length + 1) / (found + 0.5)));
  }
  const rated = units.map(({ asked, words, above, ...unit }) => {
    const known = [...new Set(asked.flatMap((word) => spellings.get(word) ?? []))];
    const total = sum(known.map((word) => weights.get(word) ?? 0));
    const own = sum(known.map((word) => (words.has(word) ? (weights.get(word) ?? 0) : 0)));
    const shared = sum(
      known.map((word) => (!words.has(word) && above.has(word) ? (weights.get(word) ?? 0) : 0)),
    );
    const share = total === 0 || own === 0 ? 0 : (own + HEADING_WEIGHT * shared) / total;
    return { ...unit, score: share / (1 + FADE * unit.passage), share };
  });
  const sorted = rated.toSorted((a, b) => b.score - a.score || a.text.length - b.text.length);
  return sorted.filter(({ text }, at) => sorted.findIndex((other) => other.text === text) === at);
}

/** The candidates that a model is asked about: those with most words of the question, and the first ones of the first passages. */
export function rateable(candidates: readonly Candidate[]): Candidate[] {
  const byWords = candidates.slice(0, BY_WORDS);
  const others = candidates.slice(BY_WORDS).toSorted((a, b) => a.passage - b.passage);
  return [...byWords, ...others.slice(0, MOST_RATED - byWords.length)];
}

/** The best candidates by words alone; none if no candidate has half of what is asked. */
export function bestByWords(candidates: readonly Candidate[]): FoundQuote[] {
  const answering = candidates.filter(({ share }) => share >= LEAST_SHARE);
  return best(
    answering.map((candidate) => ({ candidate, score: candidate.score })),
    ({ text }) => text,
  );
}

/** The best candidates by how surely a model says that each answers the question, 0–1, and by their words; none if none does. */
export function bestByRating(candidates: readonly Candidate[], ratings: readonly number[]): FoundQuote[] {
  const answering = candidates.flatMap((candidate, at) => {
    const rating = ratings[at] ?? 0;
    const score = Math.log(rating / (1 - rating)) + EVIDENCE_OF_WORDS * candidate.share;
    return score >= LEAST_EVIDENCE ? [{ candidate, score }] : [];
  });
  return best(
    answering.toSorted((a, b) => b.score - a.score),
    ({ judged }) => judged,
  );
}

function best(
  rated: readonly { candidate: Candidate; score: number }[],
  quoteOf: (candidate: Candidate) => string,
): FoundQuote[] {
  const least = (rated[0]?.score ?? 0) * LEAST_BESIDE_BEST;
  const chosen: (FoundQuote & { quote: string })[] = [];
  for (const { score, candidate } of rated) {
    const { passage, text } = candidate;
    if (score < least || chosen.length === MOST) break;
    if (chosen.some((other) => other.quote.includes(text) || text.includes(other.text))) continue;
    const quote = quoteOf(candidate);
    const before = quote.slice(0, quote.length - text.length).trim();
    const isPartlySaid = chosen.some((other) => quote.includes(other.text) || other.quote.includes(before));
    chosen.push({ passage, text, quote: isPartlySaid ? text : quote });
  }
  return chosen.map(({ passage, quote }) => ({ passage, text: quote }));
}

/** The candidates by words alone, see {@link answerCandidates} and {@link bestByWords}. */
export function bestSentences(question: string, passages: readonly CitedPassage[]): FoundQuote[] {
  return bestByWords(answerCandidates(question, passages));
}

/** What ends in a colon says little without what follows. */
function withWhatFollows(units: readonly TextUnit[], text: string): TextUnit[] {
  return units.map((unit, at) => {
    const next = units[at + 1];
    if (!next || unit.kind !== 'sentence' || next.kind === 'row' || !unit.text.endsWith(':')) return unit;
    return { ...unit, text: text.slice(unit.from, next.to), to: next.to };
  });
}

/** A unit if it has the kind of thing that is asked for, else as a sentence with those after it in its paragraph that have it. */
function fitting(
  unit: TextUnit,
  following: readonly TextUnit[],
  text: string,
  fits: (text: string) => boolean,
): TextUnit[] {
  if (fits(`${unit.lead ?? ''} ${unit.text}`)) return [unit];
  // A line with a label stands for itself.
  if (unit.kind !== 'sentence' || text.slice(unit.from, unit.to) !== unit.text) return [];
  const apart = following.findIndex(
    ({ kind, to }) => kind !== 'sentence' || PARAGRAPH.test(text.slice(unit.from, to)),
  );
  return following
    .slice(0, apart < 0 ? following.length : apart)
    .map(({ to }) => ({ ...unit, text: text.slice(unit.from, to), to }))
    .filter((together) => fits(together.text));
}

/** Lines with a label each are units of their own, although no blank line parts them. */
function labelledLines(unit: TextUnit): TextUnit[] {
  const lines = unit.text.split('\n');
  if (unit.kind === 'row' || lines.length < 2 || !lines.every((line) => LABELLED.test(line))) return [unit];
  return lines.map((line) => ({ ...unit, text: line.trim() }));
}

/** What stands before a sentence or an item: what its `it` and `this` are, or what it defines; none of a row. */
function previousOf({ kind, from }: TextUnit, previous: TextUnit | undefined): TextUnit | undefined {
  return !previous || previous.to > from || kind === 'row' || previous.kind === 'row' ? undefined : previous;
}

/** A sentence with the one before it in its paragraph, or its question, if nothing is between them and all of both is read. */
function withPrevious(unit: TextUnit, previous: TextUnit, text: string): string {
  const isWhole = previous.text.length <= MOST_BEFORE && text.slice(unit.from, unit.to) === unit.text;
  const between = text.slice(previous.to, unit.from);
  const isNext = BLANK.test(between) && (!PARAGRAPH.test(between) || QUESTION.test(previous.text));
  return isWhole && isNext ? text.slice(previous.from, unit.to) : unit.text;
}

function readableText({ text, cells, header }: TextUnit, context: readonly string[]): string {
  const row = cells?.map((cell, at) => {
    const head = header?.[at] ?? '';
    return head === '' ? cell : `${head}: ${cell}`;
  });
  const above = new Set(context.filter((part) => part !== ''));
  return [...above, row ? row.join(', ') : text].join(' ').replaceAll(/\s+/g, ' ');
}

/** The headings above a passage, or the name of its file if there are none, as of tables. */
function subjectOf({
  headingPath,
  filename,
}: Pick<CitedPassage, 'headingPath' | 'filename'>): readonly string[] {
  const name = filename?.replace(/\.[a-z]{1,5}$/i, '').replaceAll(/[-_]+/g, ' ');
  return headingPath.length > 0 || name === undefined ? headingPath : [name];
}

function isHeading(text: string, path: readonly string[], headings: ReadonlySet<string>): boolean {
  const plain = bareHeading(text);
  return headings.has(plain) || path.some((heading) => bareHeading(heading) === plain);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** The written word of which a word is a misspelling, by the fewest edits; undefined if there is none. */
function spellingOf(word: string, written: ReadonlySet<string>): string | undefined {
  if (!/^\p{L}+$/u.test(word)) return undefined;
  const most = LETTERS_BY_EDITS.filter((letters) => word.length >= letters).length;
  let best: { other: string; edits: number } | undefined;
  for (const other of written) {
    // A misspelling seldom changes the first letter.
    if (other[0] !== word[0] || Math.abs(other.length - word.length) > most) continue;
    const edits = editsBetween(word, other);
    if (edits <= most && edits < (best?.edits ?? Infinity)) best = { other, edits };
  }
  return best?.other;
}

/** Letters put in, left out, exchanged for another or for the one beside. */
function editsBetween(one: string, other: string): number {
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const at = (from: readonly number[], place: number) => from[place] ?? Infinity;
      const isSwapped = one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      row[j] = Math.min(
        at(row, j - 1) + 1,
        at(last, j) + 1,
        at(last, j - 1) + (one[i - 1] === other[j - 1] ? 0 : 1),
        isSwapped ? at(before, j - 2) + 1 : Infinity,
      );
    }
    before = last;
    last = row;
  }
  return last[other.length] ?? Infinity;
}

/** Regular English plurals and verbs lose their ending; words with other letters keep their form. */
function stem(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  let cut = word;
  if (/[^aeiou]ies$/.test(cut)) cut = `${cut.slice(0, -3)}y`;
  else if (/(?:ss|x|z|ch|sh)es$/.test(cut)) cut = cut.slice(0, -2);
  else if (/[^sui]s$/.test(cut)) cut = cut.slice(0, -1);
  if (/[^aeiou]ied$/.test(cut)) cut = `${cut.slice(0, -3)}y`;
  else if (/[^e]ed$/.test(cut)) cut = cut.slice(0, -2);
  else if (cut.length > 5 && cut.endsWith('ing')) cut = cut.slice(0, -3);
  if (/([bdgmnprt])\1$/.test(cut)) cut = cut.slice(0, -1);
  return cut.length > 2 && cut.endsWith('e') ? cut.slice(0, -1) : cut;
}
