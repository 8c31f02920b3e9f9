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

/** A sentence whose two longest words have changed places. */
export function exchanged(sentence: string): string {
  const [one, other] = [...new Set(wordsIn(sentence))].toSorted((a, b) => b.length - a.length);
  if (one === undefined || other === undefined) return sentence;
  return sentence.replaceAll(/\p{L}+/gu, (word) => (word === one ? other : word === other ? one : word));
}

/** Words that bound what is said, and what a lie says instead. */
const BOUNDS: Readonly<Record<string, string>> = {
  only: '',
  must: 'may',
  may: 'must',
  can: 'must',
  should: 'must',
  all: 'some',
  some: 'all',
  each: 'no',
  any: 'no',
  or: 'and',
  before: 'after',
  after: 'before',
  if: 'because',
  unless: 'if',
  until: 'after',
  usually: 'always',
  muss: 'darf',
  kann: 'muss',
  können: 'müssen',
  nur: '',
  oder: 'und',
  wenn: 'weil',
  alle: 'manche',
  peut: 'doit',
  doit: 'peut',
  ou: 'et',
  si: 'car',
  puede: 'debe',
  debe: 'puede',
  solo: '',
  sólo: '',
  o: 'y',
};

/** A sentence in which the first word that bounds it is another one, or gone. */
export function unbound(sentence: string): string {
  const found = wordsIn(sentence).find((word) => Object.hasOwn(BOUNDS, word));
  if (found === undefined) return sentence;
  const at = sentence.search(new RegExp(`(?<!\\p{L})${found}(?!\\p{L})`, 'u'));
  return `${sentence.slice(0, at)}${BOUNDS[found]}${sentence.slice(at + found.length)}`;
}

/** A sentence without its last third, where conditions often are. */
export function cutOff(sentence: string): string {
  const words = sentence.split(' ');
  return words.slice(0, Math.ceil((words.length * 2) / 3)).join(' ');
}

function wordsIn(text: string): string[] {
  return text.match(/\p{L}+/gu) ?? [];
}
