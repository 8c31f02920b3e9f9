import { wordsOf } from '../../domain/structured-extraction/read-page.ts';

/** Articles and prepositions of labels: `numéro de la facture` is `numéro facture`. */
const PARTICLES = new Set(['de', 'la', 'le', 'les', 'du', 'des', 'd', 'l', 'del', 'el', 'der', 'die', 'das']);

/** A word of a text in its normalised form, and where it stands. */
export interface TextWord {
  word: string;
  start: number;
  end: number;
}

/** The words of a text that distinguish labels, with their places. */
export function labelWords(text: string): TextWord[] {
  return [...text.matchAll(/[nN]\.?[°º]|[\p{L}\p{M}\p{N}]+|#/gu)].flatMap((match) => {
    const [raw] = match;
    const words = /[°º]$/.test(raw)
      ? ['number']
      : wordsOf(raw).map((word) => (word === 'numero' ? 'number' : word));
    return words
      .filter((word) => !PARTICLES.has(word))
      .map((word) => ({ word, start: match.index, end: match.index + raw.length }));
  });
}

/** A label in a text. */
export interface FoundLabel {
  start: number;
  end: number;
  /** Rank by what it means: 0 is the least doubtful. */
  tiers: ReadonlyMap<string, number>;
  words: number;
}

interface Phrase {
  words: readonly string[];
  tiers: Map<string, number>;
}

/** Known labels by their first word. */
export class Lexicon {
  readonly #byFirst = new Map<string, Phrase[]>();

  /** @param meaning what the label means, and how doubtful that is */
  add(label: string, meaning: string, tier: number): void {
    const words = labelWords(label).map(({ word }) => word);
    const [first] = words;
    if (first === undefined) return;
    const phrases = this.#byFirst.get(first) ?? [];
    this.#byFirst.set(first, phrases);
    let phrase = phrases.find((known) => sameRow(known.words, words));
    if (!phrase) {
      phrase = { words, tiers: new Map() };
      phrases.push(phrase);
      phrases.sort((a, b) => b.words.length - a.words.length);
    }
    phrase.tiers.set(meaning, Math.min(tier, phrase.tiers.get(meaning) ?? tier));
  }

  /** The labels in a text, the longest at each place. */
  find(text: string): FoundLabel[] {
    const words = labelWords(text);
    const found: FoundLabel[] = [];
    for (let at = 0; at < words.length;) {
      const phrase = this.#byFirst
        .get(words[at]?.word ?? '')
        ?.find((known) => known.words.every((word, index) => words[at + index]?.word === word));
      const [first, last] = [words[at], words[at + (phrase?.words.length ?? 1) - 1]];
      if (phrase && first && last) {
        found.push({ start: first.start, end: last.end, tiers: phrase.tiers, words: phrase.words.length });
      }
      at += phrase?.words.length ?? 1;
    }
    return found;
  }
}

function sameRow(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((word, at) => word === others[at]);
}
