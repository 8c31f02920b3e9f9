/** A sentence with other numbers; without any, with one more. */
export function otherNumbers(sentence: string): string {
  const changed = sentence.replaceAll(/\d+/g, (digits) => String(Number(digits) + 1));
  return changed === sentence ? sentence.replace(/\.?$/, ' 17 times.') : changed;
}

const ENGLISH = {
  found: /\s(?:not|never|no)\b/i,
  verbs: /\b(?:is|are|was|were|can|may|must|should|will|does|has|have)\b/,
  not: '$& not',
  untrue: 'It is not true that',
};
const NEGATIONS: Record<string, typeof ENGLISH> = {
  de: {
    found: /\s(?:nicht|nie)\b/i,
    verbs: /\b(?:ist|sind|war|kann|können|muss|müssen|darf|wird|werden|sollten)\b/,
    not: '$& nicht',
    untrue: 'Es stimmt nicht:',
  },
  fr: {
    found: /\s(?:pas|jamais)\b/i,
    verbs: /\b(?:est|sont|peut|peuvent|doit|doivent|devez|a|ont)\b/,
    not: '$& pas',
    untrue: 'Il est faux que',
  },
  es: {
    found: /\s(?:no|nunca)\b/i,
    verbs: /\b(?:es|son|está|puede|pueden|debe|deben|ha)\b/,
    not: 'no $&',
    untrue: 'No es cierto que',
  },
};

/** The opposite of a sentence, in English, German, French or Spanish. */
export function negated(sentence: string, language: string): string {
  const { found, verbs, not, untrue } = NEGATIONS[language] ?? ENGLISH;
  if (sentence.startsWith('No ')) return `A ${sentence.slice(3)}`;
  if (found.test(sentence)) return sentence.replace(found, '');
  return verbs.test(sentence) ? sentence.replace(verbs, not) : `${untrue} ${sentence}`;
}

/** The beginning of one sentence and the end of another. */
export function spliced(one: string, other: string): string {
  const [a, b] = [one.split(' '), other.split(' ')];
  return [...a.slice(0, Math.ceil(a.length / 2)), ...b.slice(Math.floor(b.length / 2))].join(' ');
}

/** A sentence whose longest word, most often a name or a term, is the longest one of another text. */
export function otherName(sentence: string, text: string): string {
  const longest = (words: readonly string[]) => words.toSorted((a, b) => b.length - a.length)[0] ?? '';
  const own = wordsIn(sentence);
  const other = longest(wordsIn(text).filter((word) => !own.includes(word)));
  const [name] = own.filter((word) => word === longest(own));
  return name === undefined ? `${other} ${sentence}` : sentence.replaceAll(name, other || 'Brightwater');
}

function wordsIn(text: string): string[] {
  return text.match(/\p{L}+/gu) ?? [];
}
