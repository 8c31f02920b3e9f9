import type { CitedPassage, FoundQuote } from './support.ts';
import { unitsOf } from './sentences.ts';
import { tokensOf } from './tokens.ts';
import { vocabularyOf } from './vocabulary.ts';

const MOST = 3;
/** Share of the weight of the question's words that a sentence has, with its headings, to be an answer. */
const LEAST_SHARE = 0.5;
/** Share of the score of the best sentence that the others must have. */
const LEAST_BESIDE_BEST = 0.75;
/** A passage that search found later counts less, by a little. */
const FADE = 0.03;
/** Words of a heading name the subject, but all sentences below share them. */
const HEADING_WEIGHT = 0.5;
const LONGEST = 600;
const QUESTION = /[?？]\s*$/;

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

/**
 * The sentences, items and rows of passages that answer a question best, best first: they have words of the question, of
 * which those in few sentences count most. A word that is nowhere stands for one that it may be a misspelling of. None if
 * no sentence has half of what is asked.
 */
export function bestSentences(question: string, passages: readonly CitedPassage[]): FoundQuote[] {
  const units = passages.flatMap(({ text, rows, headingPath }, passage) => {
    const vocabulary = vocabularyOf(text);
    const wordsIn = (given: string) =>
      new Set(tokensOf(given, vocabulary).flatMap(({ key }) => (vocabulary.usual.has(key) ? [] : stem(key))));
    const above = wordsIn(headingPath.join('\n'));
    const asked = [...wordsIn(question)];
    return unitsOf(text, rows).flatMap((unit, at, all) => {
      const words = wordsIn([unit.text, ...(unit.header ?? [])].join(' | '));
      // What answers a question stands after it.
      const answer = QUESTION.test(unit.text) ? all[at + 1] : unit;
      if (!answer || QUESTION.test(answer.text)) return [];
      return [{ passage, text: answer.text, asked, above, words }];
    });
  });
  const written = new Set(units.flatMap(({ words, above }) => [...words, ...above]));
  const weights = new Map<string, number>();
  const spellings = new Map<string, string>();
  for (const given of new Set(units.flatMap(({ asked }) => asked))) {
    if (ASKING.has(given)) continue;
    const word = written.has(given) ? given : (spellingOf(given, written) ?? given);
    spellings.set(given, word);
    const found = units.filter(({ words, above }) => words.has(word) || above.has(word)).length;
    weights.set(word, Math.log(1 + (units.length + 1) / (found + 0.5)));
  }
  const rated = units
    .filter(({ text }) => text.length <= LONGEST)
    .map(({ passage, text, asked, words, above }) => {
      const known = [...new Set(asked.flatMap((word) => spellings.get(word) ?? []))];
      const total = sum(known.map((word) => weights.get(word) ?? 0));
      const own = sum(known.map((word) => (words.has(word) ? (weights.get(word) ?? 0) : 0)));
      const shared = sum(
        known.map((word) => (!words.has(word) && above.has(word) ? (weights.get(word) ?? 0) : 0)),
      );
      const share = total === 0 || own === 0 ? 0 : (own + HEADING_WEIGHT * shared) / total;
      return { passage, text, score: share / (1 + FADE * passage), share };
    })
    .filter(({ share }) => share >= LEAST_SHARE)
    .toSorted((a, b) => b.score - a.score);
  const best = rated[0]?.score ?? 0;
  const kept = rated.filter(({ score }) => score >= best * LEAST_BESIDE_BEST);
  const distinct = kept.filter(({ text }, at) => kept.findIndex((other) => other.text === text) === at);
  return distinct.slice(0, MOST).map(({ passage, text }) => ({ passage, text }));
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
