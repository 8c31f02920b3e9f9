/** A character that was read: its probability, and where it is in the line, from 0 to 1. */
export interface ReadCharacter {
  text: string;
  probability: number;
  /** The most of the steps that show it, the first of which often shows its edge only. */
  most: number;
  at: number;
}

/** Between two letters: narrow spaces are often less probable than nothing. */
const LIKELY_SPACE = 0.1;
const HALF = 0.5;

/**
 * The characters of a line by connectionist temporal classification: at each step the most probable class counts; class 0 is
 * between characters, and repetitions are one character.
 *
 * @param probabilities of `classes` classes, step by step
 * @param alphabet the character of each class from 1
 * @param part of the steps that the line takes; the rest is padding
 */
export function readSequence(
  probabilities: Float32Array,
  classes: number,
  alphabet: readonly string[],
  part: number,
): ReadCharacter[] {
  const steps = probabilities.length / classes;
  const characters: ReadCharacter[] = [];
  const space = alphabet.length;
  let [last, mostSpace] = [0, 0];
  for (let step = 0; step < steps; step++) {
    let [best, probability] = [0, -1];
    const end = (step + 1) * classes;
    for (let at = step * classes; at < end; at++) {
      const value = probabilities[at] ?? 0;
      if (value <= probability) continue;
      probability = value;
      best = at - step * classes;
      // They sum to 1, so no other is more probable.
      if (value > HALF) break;
    }
    const place = (step + 0.5) / steps / part;
    if (best !== 0 && best !== last) {
      if (best !== space && mostSpace >= LIKELY_SPACE && characters.at(-1)?.text.trim())
        characters.push({ text: ' ', probability: mostSpace, most: mostSpace, at: Math.min(1, place) });
      mostSpace = 0;
      const text = alphabet[best - 1] ?? '';
      characters.push({ text, probability, most: probability, at: Math.min(1, place) });
    } else if (best !== 0) {
      const repeated = characters.at(-1);
      if (repeated) repeated.most = Math.max(repeated.most, probability);
    }
    // Where a letter is read, a space beside it is not between two letters.
    if (best === 0) mostSpace = Math.max(mostSpace, probabilities[step * classes + space] ?? 0);
    last = best;
  }
  return characters;
}

/** A capital O before small letters looks like a zero. */
const ZERO_FOR_LETTER = /^0(?=\p{Ll}{2})/u;

/** Words of a line: its characters between spaces, with the part of the line that each takes. */
export interface WordOfLine {
  text: string;
  /** Mean of its characters, from 0 to 1. */
  probability: number;
  from: number;
  to: number;
}

/** Room on both sides of the first and the last character of a line, in characters; beyond, there may be another line. */
const ROOM = 1;

export function wordsOf(characters: readonly ReadCharacter[]): WordOfLine[] {
  const words: WordOfLine[] = [];
  let word: ReadCharacter[] = [];
  const [start, finish] = [characters[0]?.at ?? 0, characters.at(-1)?.at ?? 1];
  const room = characters.length > 1 ? (ROOM * (finish - start)) / (characters.length - 1) : 1;
  let before = Math.max(0, start - room);
  const end = (next: ReadCharacter | undefined) => {
    const [first, last] = [word[0], word.at(-1)];
    if (!first || !last) return;
    const to = next === undefined ? Math.min(1, last.at + room) : (last.at + next.at) / 2;
    words.push({
      text: word
        .map(({ text }) => text)
        .join('')
        .replace(ZERO_FOR_LETTER, 'O'),
      probability: word.reduce((sum, { probability }) => sum + probability, 0) / word.length,
      from: before,
      to,
    });
    before = to;
    word = [];
  };
  for (const [index, character] of characters.entries()) {
    if (character.text.trim() === '') {
      const next = characters.slice(index + 1).find(({ text }) => text.trim() !== '');
      end(next);
    } else word.push(character);
  }
  end(undefined);
  return words;
}
