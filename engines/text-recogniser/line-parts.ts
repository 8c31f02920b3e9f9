import type { ReadCharacter } from './read-sequence.ts';

/** Words of a line, with the part of the line that they take, from 0 to 1. A part that is not the first begins with its space. */
export interface LinePart {
  characters: readonly ReadCharacter[];
  from: number;
  to: number;
  isCertain: boolean;
}

/** A character with less in each of its steps is doubtful. */
const CERTAIN = 0.9;
/** If more of a line is doubtful, all of it is. */
const MOST_DOUBTFUL = 0.75;
/** A quick model takes a slash for a one without doubt, and no reader sees a wrong digit. */
const DIGIT = /\p{N}/u;
/** In such a line are letters that the quick model does not know, for which it takes others without doubt. */
const OTHER_LETTER = /(?![ -ÿ])\p{L}/u;

/** Latin letters that the quick model takes for others without doubt in small print; not œ, which French and English have. */
const RARE_LETTER = /[Ā-őŔ-ɏḀ-ỿ]/u;

export const hasRareLetter = (characters: readonly ReadCharacter[]): boolean =>
  characters.some(({ text }) => RARE_LETTER.test(text));

/** Divides a line that a quick model has read at its spaces: into what is certain, and what is to be read again, in turn. */
export function partsOfLine(characters: readonly ReadCharacter[]): LinePart[] {
  const whole = { characters, from: 0, to: 1, isCertain: false };
  if (characters.length === 0 || characters.some(({ text }) => OTHER_LETTER.test(text))) return [whole];
  const parts: LinePart[] = [];
  let begun: ReadCharacter[] = [];
  let from = 0;
  const end = (to: number) => {
    const isCertain = begun.every(({ text, most }) => most >= CERTAIN && !DIGIT.test(text));
    const last = parts.at(-1);
    if (last?.isCertain === isCertain)
      parts[parts.length - 1] = { ...last, characters: [...last.characters, ...begun], to };
    else parts.push({ characters: begun, from, to, isCertain });
    begun = [];
    from = to;
  };
  for (const [index, character] of characters.entries()) {
    const [before, after] = [characters[index - 1], characters[index + 1]];
    // A doubtful space may be within a word.
    if (character.text === ' ' && character.most >= CERTAIN && before && after)
      end((before.at + after.at) / 2);
    begun.push(character);
  }
  end(1);
  const doubtful = parts.reduce((sum, part) => sum + (part.isCertain ? 0 : part.to - part.from), 0);
  return doubtful > MOST_DOUBTFUL ? [whole] : parts;
}
