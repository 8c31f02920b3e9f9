import type { TextUnit } from './sentences.ts';
import type { CitedPassage } from './support.ts';
import { type Vocabulary, vocabularyOf } from './vocabulary.ts';

/** Words that may name something, also `INV-103`, `3.40.1` and `maxFields`. */
const WORD = /[\p{L}\p{N}]+(?:[-./_:][\p{L}\p{N}]+)*/gu;
/** Of each kind; each costs a search in all passages. */
const MOST = 8;
const BEFORE = /[\p{L}\p{N}]$|\p{N}\.$/u;
const AFTER = /^[\p{L}\p{N}]|^\.\p{N}/u;
/** English months, the names before a number that is a day. */
const MONTH =
  /^(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)$/;
const ROMAN = '0 i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx'.split(' ');

/**
 * Whether a unit is about what a question names: each code is in the row or, of prose, in its passage; and each name in one of
 * the passages of its document, unless that is in another language.
 */
export function aboutWhatIsNamed(
  question: string,
  passages: readonly CitedPassage[],
  vocabulary: Vocabulary,
): (unit: TextUnit, passage: number) => boolean {
  const { codes, names } = namedThings(question, vocabulary.hasNames);
  const hasCodes = (...texts: readonly string[]) => {
    const text = texts.join('\n').toLowerCase();
    return codes.every((ways) => ways.some((code) => hasCode(text, code)));
  };
  const around = passages.map(({ headingPath, filename = '' }) => [...headingPath, filename].join('\n'));
  const documents = Map.groupBy(passages.keys(), (at) => passages[at]?.documentId);
  const hasNames = new Map(
    [...documents].map(([id, own]) => {
      const text = own.flatMap((at) => [passages[at]?.text ?? '', around[at] ?? '']).join('\n');
      return [id, names.every((name) => text.toLowerCase().includes(name))];
    }),
  );
  const ofPassages = passages.map(({ text, documentId }, at) => ({
    isSubject: hasNames.get(documentId) === true || vocabularyOf(text, vocabulary) !== vocabulary,
    hasCodes: hasCodes(text, around[at] ?? ''),
  }));
  return ({ kind, text, lead = '', header = [] }, at) => {
    const passage = ofPassages[at];
    if (!passage?.isSubject || !passage.hasCodes) return false;
    return kind !== 'row' || hasCodes(text, lead, ...header, around[at] ?? '');
  };
}

/** What a question names, in lower case: an answer about another thing is none. */
interface NamedThings {
  /** Numbers of three and more digits or after a name, versions and codes, each in all ways of writing it. */
  codes: readonly (readonly string[])[];
  /** Words with a capital letter, which are names in most languages. */
  names: readonly string[];
}

/** @param hasNames false in a language that begins every noun with a capital letter */
function namedThings(question: string, hasNames: boolean): NamedThings {
  const codes: string[][] = [];
  const names: string[] = [];
  let [name, end] = ['', 0];
  for (const [at, { 0: word, index }] of [...question.matchAll(WORD)].entries()) {
    const plain = word.toLowerCase();
    const isCode = /\p{N}/u.test(word);
    const isName = !isCode && (/.\p{Lu}/u.test(word) || (hasNames && at > 0 && /^\p{Lu}./u.test(word)));
    if (isName) names.push(plain);
    const isAfterName = name !== '' && !MONTH.test(name) && question.slice(end, index).trim() === '';
    if (isCode && word.length > 2) codes.push([plain]);
    else if (isCode && isAfterName) codes.push(waysToWrite(plain, name));
    name = isName ? plain : '';
    end = index + word.length;
  }
  return { codes: codes.slice(0, MOST), names: names.slice(0, MOST) };
}

/** A short number after a name: `8`, `8th`, or `henry viii`. */
function waysToWrite(number: string, name: string): string[] {
  const roman = ROMAN[Number(number)];
  const ordinals = ['st', 'nd', 'rd', 'th'].map((ending) => number + ending);
  return [number, ...ordinals, ...(roman === undefined ? [] : [`${name} ${roman}`])];
}

/** Whether a text in lower case has a code that is no part of a longer one, as `3.1` is of `3.1.10`. */
function hasCode(text: string, code: string): boolean {
  for (let at = text.indexOf(code); at >= 0; at = text.indexOf(code, at + 1)) {
    const end = at + code.length;
    if (!BEFORE.test(text.slice(Math.max(0, at - 2), at)) && !AFTER.test(text.slice(end, end + 2)))
      return true;
  }
  return false;
}
