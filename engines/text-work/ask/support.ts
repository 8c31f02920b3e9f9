import type { WrittenSentence } from '../../../domain/ask/answer.ts';
import { type RowsByLine, squashed, type TextUnit, unitsOf } from './sentences.ts';
import { NEGATION, reservationsIn, tokensOf, type Token } from './tokens.ts';
import { vocabularyOf, type Vocabulary } from './vocabulary.ts';

/** The text of a passage and the headings above it, outermost first. */
export interface CitedPassage {
  text: string;
  documentId?: string;
  filename?: string;
  /** Those of its lines that are rows of tables. */
  rows?: RowsByLine;
  /** Those of its lines that are headings, see `bareHeading`. */
  headings?: ReadonlySet<string>;
  headingPath: readonly string[];
}

/** A quote that stands in its passage, widened to whole sentences, items and rows. */
export interface FoundQuote {
  /** Index of its passage, from 0. */
  passage: number;
  /** As written in the passage. */
  text: string;
}

export interface CheckedSentence {
  supported: boolean;
  /** The quotes that stand in the passage they name; the others are dropped. */
  quotes: FoundQuote[];
}

/**
 * Checks a sentence against the quotes that it cites. A quote counts if its words stand in the passage that it names; it is
 * widened to whole sentences, rows and items there. They carry the sentence if it restates them: the same words, numbers,
 * units, symbols, dates and names in the same order, with nothing put in and nothing left out but a last clause after
 * `and` that turns or bounds nothing. Only articles, `is` and `are`, punctuation and notations may differ. A row of a table is
 * supported in its own letters. A true sentence in other words is therefore not supported.
 */
export function checkSentence(
  { text, quotes }: WrittenSentence,
  passages: readonly CitedPassage[],
): CheckedSentence {
  const found = quotes.flatMap(({ passage, quote }) => {
    const cited = passages[passage - 1];
    const units = cited ? findQuote(quote, cited) : [];
    return units.length > 0 ? [{ passage: passage - 1, units }] : [];
  });
  const readings = found.flatMap(({ passage, units }): Reading[] => {
    const vocabulary = vocabularyOf(passages[passage]?.text ?? '');
    return [
      ...units.flatMap((unit) => readingsOf(unit, vocabulary)),
      ...listsIn(units).map((text) => ({ text, vocabulary, continues: true })),
    ];
  });
  const plain = text.replaceAll(MARK, '');
  const parts = unitsOf(plain);
  const supported = plain.trimStart().startsWith('|')
    ? readings.some(({ row }) => row !== undefined && squashed(row) === squashed(plain))
    : parts.length > 0 && restates(parts, evidenceOf(readings));
  return { supported, quotes: merged(found, passages) };
}

/** The units of a passage that a quote touches where it first occurs; none if it does not occur. */
export function findQuote(quote: string, { text, rows }: Pick<CitedPassage, 'text' | 'rows'>): TextUnit[] {
  const wanted = plainWords(quote);
  if (wanted.length === 0) return [];
  const words = plainWords(text);
  const first = words.findIndex((_, at) => wanted.every(({ key }, next) => words[at + next]?.key === key));
  if (first < 0) return [];
  const from = words[first]?.from ?? 0;
  const to = words[first + wanted.length - 1]?.to ?? 0;
  return unitsOf(text, rows).filter((unit) => unit.from < to && unit.to > from);
}

interface PlainWord {
  key: string;
  from: number;
  to: number;
}

/** Words by their letters and digits alone. A word parted at the end of a line is one. Signs of numbers count. */
function plainWords(text: string): PlainWord[] {
  const words: PlainWord[] = [];
  for (const { 0: word, index } of text.matchAll(
    /(?<![\p{L}\p{N}])[-−](?=\d)|[\p{L}\p{M}\p{N}]+|[%€$£°]/gu,
  )) {
    const last = words.at(-1);
    const key = word.normalize('NFKC').toLowerCase().replace('−', '-');
    if (last && /^[-\u00AD]\n$|^\u00AD$/.test(text.slice(last.to, index)) && /^\p{Ll}/u.test(word)) {
      last.key += key;
      last.to = index + word.length;
    } else {
      words.push({ key, from: index, to: index + word.length });
    }
  }
  return words;
}

/** Marks by which models name the passage within a sentence. */
const MARK = /\s?(?:\[\d{1,3}\]|\(passages? \d{1,3}\))/gi;
const QUESTION = /[?？¿]/;
/** A reason with one of these may end in a condition. */
const BOUNDING =
  /[;:()–—]|(?<!\p{L})(?:but|only|however|although|though|while|whereas|aber|nur|jedoch|obwohl|sondern|mais|seulement|cependant|quoique|pero|solo|sólo|aunque)(?!\p{L})/u;
/** What stands before an `and` here is part of a list, or of an enumeration. */
const LIST = /:|,\s*(?:and|und|et|y|e)\s/iu;
/** Where a sentence says it is from; a quote says so as well. */
const ATTRIBUTION =
  /^(?:according to the (?:manual|document|text|passage|guide)|laut (?:dem )?(?:handbuch|dokument|text)|laut der anleitung|selon le (?:manuel|document|texte)|según el (?:manual|documento|texto)),?\s+/i;
/** They say nothing about what follows them. */
const LABEL = /^(?:note|tip|hint|important|hinweis|tipp|wichtig|remarque|nota|importante):\s*/i;
/** What begins with one of these is about something named before it. */
const PRONOUN =
  /^(?:it|its|they|their|this|these|that|those|he|she|his|her|such|both|er|es|sie|ihr|ihre|dies|diese|dieser|dieses|il|elle|ils|elles|ce|cela|él|ella|ellos|ellas|este|esta|esto|se|lo)(?!\p{L})/iu;
/** Characters of readings that a sentence is compared with; 20 times the longest sentence. */
const MOST_READ = 12_000;
/** Comparisons of two words for one sentence. */
const MOST_STEPS = 100_000;

/** A way to read a unit. */
interface Reading {
  text: string;
  vocabulary: Vocabulary;
  /** It takes its subject from what stands before it. */
  continues: boolean;
  /** The row of a table that it reads, in its own letters. */
  row?: string;
}

interface Evidence extends Reading {
  tokens: readonly Token[];
  /** Where it may end: the rest is left out. */
  ends: readonly boolean[];
  reservations: readonly string[];
}

/** An item reads with what leads to its list, alone only if that bounds nothing; a question says nothing. */
function readingsOf(unit: TextUnit, ofPassage: Vocabulary): Reading[] {
  if (QUESTION.test(unit.text)) return [];
  const { kind, lead = '', text: row } = unit;
  const vocabulary = vocabularyOf(unit.text, ofPassage);
  const texts = kind === 'row' ? cellReadings(unit, vocabulary) : sentenceReadings(unit, vocabulary);
  const continues = kind === 'item' || PRONOUN.test(unit.text);
  return [lead, ...(bounds(lead, ofPassage) ? [] : [''])].flatMap((before) =>
    texts.map((text) => ({
      text: `${before} ${text}`.trim(),
      vocabulary,
      continues,
      ...(kind === 'row' && before === '' && { row }),
    })),
  );
}

function sentenceReadings({ text }: TextUnit, vocabulary: Vocabulary): string[] {
  const plain = text.replace(LABEL, '');
  return [plain, ...withoutReason(plain, vocabulary)];
}

/** The items of a list that follow each other, with what leads to it. */
function listsIn(units: readonly TextUnit[]): string[] {
  const lists: { lead: string; texts: string[] }[] = [];
  let last: { lead: string; texts: string[] } | undefined;
  for (const { kind, lead, text } of units) {
    if (kind !== 'item' || lead === undefined || QUESTION.test(text)) last = undefined;
    else if (last?.lead === lead) last.texts.push(text);
    else lists.push((last = { lead, texts: [text] }));
  }
  return lists.flatMap(({ lead, texts }) => (texts.length > 1 ? [`${lead} ${texts.join(', ')}`] : []));
}

/** A sentence without the reason at its end, unless that may bound what it gives the reason for. */
function withoutReason(text: string, vocabulary: Vocabulary): string[] {
  const comma = text.lastIndexOf(',');
  const reason = text
    .slice(comma + 1)
    .trimStart()
    .toLowerCase();
  const isReason = vocabulary.reasons.some((word) => reason.startsWith(`${word} `));
  if (comma < 0 || !isReason || BOUNDING.test(reason)) return [];
  return reservationsIn(reason, vocabulary).length > 0 ? [] : [text.slice(0, comma)];
}

function bounds(lead: string, vocabulary: Vocabulary): boolean {
  return (
    reservationsIn(lead, vocabulary).length > 0 ||
    tokensOf(lead, vocabulary).some(({ isWeighty, isNumber }) => isWeighty || isNumber)
  );
}

/** A row reads as its cells, and as each cell with the label of its row and the head of its column: `price of filter 12 €`. */
function cellReadings({ cells: row = [], header = [] }: TextUnit, { of }: Vocabulary): string[] {
  const [label = '', ...cells] = row;
  const whole = [label, ...cells].join(' | ');
  if (label === '') return [whole];
  const read = cells.flatMap((cell, at) => {
    if (/^[-–—]?$/.test(cell)) return [];
    const head = header[at + 1] ?? '';
    const bare = header.length <= 2 || head === '' ? [`${label} ${cell}`] : [];
    if (head === '') return bare;
    const named = [
      `${head} ${label}`,
      `${label} ${head}`,
      `${head} ${of} ${label}`,
      `${label} ${of} ${head}`,
    ];
    return [...bare, ...named.map((name) => `${name} ${cell}`)];
  });
  return [whole, ...read];
}

function evidenceOf(readings: readonly Reading[]): Evidence[] {
  let read = 0;
  return readings.flatMap((reading) => {
    read += reading.text.length;
    if (read > MOST_READ) return [];
    const tokens = tokensOf(reading.text, reading.vocabulary);
    const reservations = reservationsIn(reading.text, reading.vocabulary);
    return [{ ...reading, tokens, reservations, ends: endsOf(reading.text, tokens) }];
  });
}

/**
 * A text ends after its last token, or before an `and` that does not end a list, if nothing after that turns or bounds it or
 * is an amount.
 */
function endsOf(text: string, tokens: readonly Token[]): boolean[] {
  const heaviest = tokens.findLastIndex(({ isWeighty }) => isWeighty);
  const mayEnd = (at: number): boolean => at > heaviest && at > 0 && !LIST.test(text);
  return [...tokens.map(({ isJoined, isNumber }, at) => isJoined && !isNumber && mayEnd(at)), true];
}

/** Whether each part is made of whole texts; what continues another text can only be the first. */
function restates(parts: readonly TextUnit[], evidence: readonly Evidence[]): boolean {
  return parts.every((part, index) => {
    const plain = part.text.replace(LABEL, '');
    const texts = new Set([plain, plain.replace(ATTRIBUTION, '')]);
    return [...texts].some((text) => isCarried(text, evidence, index === 0));
  });
}

function isCarried(text: string, evidence: readonly Evidence[], isFirst: boolean): boolean {
  return [...new Set(evidence.map(({ vocabulary }) => vocabulary))].some((vocabulary) => {
    const tokens = tokensOf(text, vocabulary);
    const reservations = new Set(reservationsIn(text, vocabulary));
    const usable = evidence.filter(
      (each) =>
        each.vocabulary === vocabulary &&
        each.reservations.every((word) => reservations.has(word)) &&
        negationsIn(each.tokens) <= negationsIn(tokens),
    );
    return tokens.length > 0 && isMadeOf(tokens, usable, isFirst);
  });
}

function negationsIn(tokens: readonly Token[]): number {
  return tokens.filter(({ key }) => key === NEGATION).length;
}

/** Whether tokens are those of whole texts with `and` between them. False if that takes too many steps to tell. */
function isMadeOf(sentence: readonly Token[], evidence: readonly Evidence[], isFirst: boolean): boolean {
  const begins = new Set([0]);
  let steps = 0;
  // Beginnings that are found meanwhile are visited as well.
  for (const begin of begins) {
    for (const { tokens, ends, continues } of evidence) {
      if (continues && (begin > 0 || !isFirst)) continue;
      for (let length = 0; ; length++) {
        if (++steps > MOST_STEPS) return false;
        const next = sentence[begin + length];
        if (length > 0 && ends[length]) {
          if (!next) return true;
          if (next.isJoined) begins.add(begin + length);
        }
        if (!next || next.key !== tokens[length]?.key) break;
      }
    }
  }
  return false;
}

/** Quotes in the letters of their passages, each unit once. */
function merged(
  found: readonly { passage: number; units: readonly TextUnit[] }[],
  passages: readonly CitedPassage[],
): FoundQuote[] {
  const quotes = new Map<string, FoundQuote>();
  for (const { passage, units } of found) {
    const [from, to] = [units[0]?.from ?? 0, units.at(-1)?.to ?? 0];
    const text = (passages[passage]?.text ?? '').slice(from, to).trim();
    quotes.set(`${passage}/${from}/${to}`, { passage, text });
  }
  return [...quotes.values()];
}
