import type { SplitPart, SplitProposal, SplitReason } from '../../../domain/splits.ts';
import type { MarginLine, PageSigns } from './page-signs.ts';

/** Signs that a document begins, and by how much; negative ones say that it goes on. */
interface Evidence {
  reason: SplitReason | null;
  weight: number;
}

/** A document begins where the weights come to this; each unit is about a factor of two. */
const BEGINS = 5;

/**
 * How rules divide a document that may be several. Blank and separator pages between parts belong to none.
 *
 * @param keepSeparators separator pages belong to the part after them, or to the last one
 */
export function proposeParts(given: readonly PageSigns[], keepSeparators = false): SplitProposal {
  const signs = withSeparators(given);
  const pages = signs.filter(({ kind }) => kind === 'text');
  const hasCuts = pages.some(
    (_, at) => at > 0 && isCut(pages.slice(Math.max(0, at - 3), at), pages.slice(at, at + 2)),
  );
  const parts: SplitPart[] = [];
  let start = 0;
  for (const [at, page] of pages.entries()) {
    const before = pages[at - 1];
    const part = parts.at(-1);
    if (!before || !part) {
      parts.push({ first: page.page, last: page.page, reasons: [], confidence: null });
      continue;
    }
    const between = signs.slice(before.page, page.page - 1);
    const evidence = evidenceAt({
      current: pages.slice(start, at),
      page,
      next: pages[at + 1],
      between,
      isBeforeBlank: signs[page.page]?.kind === 'blank',
      hasCuts,
    });
    const weight = evidence.reduce((sum, one) => sum + one.weight, 0);
    if (weight < BEGINS) {
      part.last = page.page;
      continue;
    }
    const reasons = evidence.flatMap(({ reason, weight: own }) => (reason && own > 0 ? [reason] : []));
    parts.push({
      first: page.page,
      last: page.page,
      reasons: [...new Set(reasons)],
      confidence: confidenceOf(weight),
    });
    start = at;
  }
  if (keepSeparators) attachSeparators(parts, signs);
  const isInPart = (number: number): boolean =>
    parts.some(({ first, last }) => first <= number && number <= last);
  const leftOut = signs.flatMap(({ page, kind }) =>
    kind === 'text' || isInPart(page)
      ? []
      : [{ page, reason: kind === 'blank' ? ('blank_page' as const) : ('separator_page' as const) }],
  );
  return { parts, leftOut };
}

/** Extends parts by the separator pages before them. */
function attachSeparators(parts: readonly SplitPart[], signs: readonly PageSigns[]): void {
  for (const [at, part] of parts.entries()) {
    const from = parts[at - 1]?.last ?? 0;
    const sheet = signs.slice(from, part.first - 1).find(({ kind }) => kind === 'separator');
    part.first = sheet?.page ?? part.first;
  }
  const last = parts.at(-1);
  if (last)
    last.last = signs.slice(last.last).findLast(({ kind }) => kind === 'separator')?.page ?? last.last;
}

/**
 * Pages with a barcode that others have, too, are separators, and so are those with one and nothing else that have a page after
 * them: the last page may as well be a label. Those of pages side by side are of tickets.
 */
function withSeparators(signs: readonly PageSigns[]): PageSigns[] {
  const counts = new Map<string, number>();
  for (const code of signs.flatMap(({ codes }) => codes)) counts.set(code, (counts.get(code) ?? 0) + 1);
  const last = signs.findLastIndex(({ kind }) => kind === 'text');
  return signs.map((page, at) => {
    const beside = [signs[at - 1], signs[at + 1]].flatMap((other) => other?.codes ?? []);
    const isAgain = page.codes.some((code) => (counts.get(code) ?? 0) > 1);
    if (isAgain && !page.codes.some((code) => beside.includes(code))) return { ...page, kind: 'separator' };
    if (!page.isSheet || beside.length > 0) return page;
    return at < last ? { ...page, kind: 'separator' } : { ...page, codes: [] };
  });
}

const confidenceOf = (weight: number): number =>
  Math.round((1 / (1 + Math.exp(-(weight - 2) / 1.5))) * 100) / 100;

interface Place {
  /** The pages of the document that the page may end, up to the one before. */
  current: readonly PageSigns[];
  page: PageSigns;
  next: PageSigns | undefined;
  /** Blank and separator pages before the page. */
  between: readonly PageSigns[];
  /** Whether the back of the page is blank, if it has one. */
  isBeforeBlank: boolean;
  /** Whether fonts change anywhere: those of documents that were joined do. */
  hasCuts: boolean;
}

function evidenceAt(place: Place): Evidence[] {
  return [
    ...separators(place),
    ...pageNumbers(place),
    ...references(place),
    ...appearance(place),
    ...beginnings(place),
  ];
}

function separators({ current, page, between, isBeforeBlank }: Place): Evidence[] {
  if (between.some(({ kind }) => kind === 'separator')) return [{ reason: 'separator_page', weight: 9 }];
  if (page.codes.length > 0) return [{ reason: 'first_page', weight: 6 }];
  const [start] = current;
  if (between.length === 0 || !start) return [];
  // The backs of sheets with one printed side, of which both were scanned.
  const hadBlanks = page.page - between.length - start.page > current.length;
  if (hadBlanks || (current.length === 1 && isBeforeBlank)) return [{ reason: 'blank_page', weight: 2 }];
  // Books have blank pages after their title and before chapters.
  const isBook = page.isContents || (current.length <= 2 && start.isTitle) || isNumbered(page);
  return [{ reason: 'blank_page', weight: isBook || current.some(isNumbered) ? 2 : 5 }];
}

const isNumbered = ({ counted, margins }: PageSigns): boolean =>
  counted !== null || margins.some(({ isNumber }) => isNumber);

function pageNumbers(place: Place): Evidence[] {
  const { current, page } = place;
  const before = current.at(-1);
  if (!before) return [];
  if (page.counted) {
    const { number, total } = page.counted;
    const last = before.counted;
    if (number > 1) return [{ reason: null, weight: last?.number === number - 1 ? -12 : -8 }];
    // In a document of one page that says so on each, nothing else begins.
    if (last) return [{ reason: 'page_numbers', weight: last.number === last.total ? 9 : 6 }];
    return [{ reason: 'page_numbers', weight: total === 1 ? 4 : 6 }];
  }
  const recent = current.slice(-2).toReversed();
  const steps = recent.map((other) => stepBetween(other, page));
  if (steps.includes('goes on')) return [{ reason: null, weight: -9 }];
  if (steps[0] === 'begins again') return [{ reason: 'page_numbers', weight: 6 }];
  // A number that fits the place of the page in its document, as the first page often has none.
  const expected = current.length + 1;
  if (numbersOf(page).includes(expected) && expected > 1) return [{ reason: null, weight: -5 }];
  if (before.counted && before.counted.number < before.counted.total) return [{ reason: null, weight: -4 }];
  if (before.counted) return [{ reason: 'page_numbers', weight: 2 }];
  const hadNumbers = current.length > 1 && current.slice(-2).every((one) => numbersOf(one).length > 0);
  return hadNumbers && numbersOf(page).length === 0 ? [{ reason: 'page_numbers', weight: 1.5 }] : [];
}

/** The page numbers that lines of the margins state, in Arabic digits. */
const numbersOf = ({ margins }: PageSigns): number[] =>
  margins.flatMap(({ isNumber, isRoman, numbers }) => (isNumber && !isRoman ? numbers : []));

/** How the number in lines of the same words changes between two pages. */
function stepBetween(one: PageSigns, other: PageSigns): 'goes on' | 'begins again' | undefined {
  let found: 'goes on' | 'begins again' | undefined;
  for (const line of other.margins)
    for (const former of one.margins) {
      if (!isComparable(former, line)) continue;
      const changes = line.numbers.flatMap((number, at) => {
        const was = former.numbers[at] ?? 0;
        return number === was ? [] : [{ was, number }];
      });
      const [change] = changes;
      if (changes.length !== 1 || !change) {
        // Documents of a page each.
        if (line.isNumber && line.numbers[0] === 1 && former.numbers[0] === 1) found ??= 'begins again';
        continue;
      }
      if (change.number === change.was + (other.page - one.page)) return 'goes on';
      if (change.number === change.was + 1) return 'goes on';
      if (change.number === 1 && change.was > 1) found = 'begins again';
    }
  return found;
}

const isComparable = (one: MarginLine, other: MarginLine): boolean =>
  one.at === other.at &&
  one.isRoman === other.isRoman &&
  one.words === other.words &&
  one.numbers.length === other.numbers.length &&
  one.numbers.length > 0;

/** Labels of numbers that a document has but once; an order may be one of several. */
const OWN_NUMBER = /^(?:invoice|rechnung|fact|fatt|bill|receipt|credit)/;

function references({ current, page }: Place): Evidence[] {
  let weight = 0;
  for (const [label, value] of Object.entries(page.references)) {
    const known = current.findLast(({ references: own }) => own[label] !== undefined)?.references[label];
    if (known === value) return [{ reason: null, weight: -6 }];
    if (known !== undefined) weight = Math.max(weight, OWN_NUMBER.test(label) ? 6 : 4);
  }
  return weight > 0 ? [{ reason: 'reference', weight }] : [];
}

function appearance({ current, page, next, hasCuts }: Place): Evidence[] {
  const before = current.at(-1);
  if (!before) return [];
  const found: Evidence[] = [];
  const following = next ? [page, next] : [page];
  // A title page may have fonts of its own.
  if (isCut(current.slice(-3), following))
    found.push({ reason: 'appearance', weight: current.length === 1 && before.isTitle ? 2 : 4 });
  else if (hasCuts && shared(before.look.fonts, page.look.fonts) > 0.5)
    found.push({ reason: null, weight: -4 });
  if (isOtherSize(before, page)) found.push({ reason: 'appearance', weight: 2 });
  const former = current.at(-2);
  if (former) {
    if (linesShared(before, page)) found.push({ reason: null, weight: -1.5 });
    else if (linesShared(former, before)) found.push({ reason: 'appearance', weight: 1.5 });
  }
  return found;
}

function beginnings({ current, page, next }: Place): Evidence[] {
  const [start] = current;
  const before = current.at(-1);
  if (!start || !before) return [];
  const found: Evidence[] = [];
  if (page.continues && before.breaksOff) found.push({ reason: null, weight: -5 });
  else if (page.continues) found.push({ reason: null, weight: -2 });
  // The letterhead of the first page, which the pages after it lack.
  const isHeaded = headAgain(start, page);
  if (isHeaded && current.length > 1 && !headAgain(start, before))
    found.push({ reason: 'letterhead', weight: 4 });
  // Letters of a page each, which differ in their date; so do the pages of a statement, below the same line.
  if (page.date !== null && start.date !== null && page.date !== start.date)
    found.push({ reason: 'reference', weight: !isHeaded ? 2 : linesShared(start, page) ? 3.5 : 5 });
  if (page.opens)
    found.push({ reason: 'first_page', weight: before.opens && headAgain(before, page) ? 1.5 : 2.5 });
  if (page.isTitle && (next?.isContents ?? false)) found.push({ reason: 'first_page', weight: 3 });
  else if (page.isTitle) found.push({ reason: 'first_page', weight: 1 });
  const alike = likeness(current.slice(-3), page);
  if (alike !== undefined && alike < 0.06) found.push({ reason: null, weight: 1.5 });
  if (alike !== undefined && alike > 0.5) found.push({ reason: null, weight: -1.5 });
  return found;
}

/** Whether the texts at the top of one page are again at the top of another. */
function headAgain(one: PageSigns, other: PageSigns): boolean {
  const known = new Set(one.top.slice(0, 3).filter((text) => text.length >= 8));
  return other.top.slice(0, 3).some((text) => known.has(text));
}

const linesShared = (one: PageSigns, other: PageSigns): boolean =>
  one.margins.some(
    ({ at, words }) =>
      /\p{L}{4}/u.test(words) && other.margins.some((line) => line.at === at && line.words === words),
  );

/** A page on its side is of the same size. */
function isOtherSize({ look: one }: PageSigns, { look: other }: PageSigns): boolean {
  if (one.width === 0 || other.width === 0) return false;
  const isSame = isAlmost(one.width, other.width) && isAlmost(one.height, other.height);
  return !isSame && !(isAlmost(one.width, other.height) && isAlmost(one.height, other.width));
}

const isAlmost = (one: number, other: number): boolean => Math.abs(one - other) <= 3;

/** Whether the fonts of pages are others than those of the pages before: documents that were joined have their own. */
function isCut(before: readonly PageSigns[], after: readonly PageSigns[]): boolean {
  const fontsOf = (pages: readonly PageSigns[]) => [...new Set(pages.flatMap(({ look }) => look.fonts))];
  const last = before.at(-1)?.look.fonts ?? [];
  const first = after[0]?.look.fonts ?? [];
  if (last.length === 0 || first.length === 0 || shared(last, first) > 0) return false;
  return shared(fontsOf(before), fontsOf(after)) <= 0.2;
}

/** Of the smaller set, how many are in the other. */
function shared(one: readonly string[], other: readonly string[]): number {
  const least = Math.min(one.length, other.length);
  return least === 0 ? 0 : one.filter((font) => other.includes(font)).length / least;
}

/** Share of the words of a page that pages before have; undefined with too few of them. */
function likeness(before: readonly PageSigns[], { words }: PageSigns): number | undefined {
  const known = new Set(before.flatMap((page) => page.words));
  if (words.length < 15 || known.size < 15) return undefined;
  return words.filter((word) => known.has(word)).length / Math.min(words.length, known.size);
}
