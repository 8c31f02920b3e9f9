import type { PageLook, PagePicture } from 'darkroom-reader';
import { onOneLine, pageLine, plainText, type PageElement, type PageLine } from 'darkroom-reader/document';

/** A page of a document that may be several. */
export interface PageToSplit {
  pageNumber: number;
  elements: readonly PageElement[];
  /** Whether its text is known. */
  isRead: boolean;
  look: PageLook;
  /** What is on its image; absent unless it has hardly any text. */
  picture?: PagePicture;
}

/** What tells where a document begins, of one page. */
export interface PageSigns {
  page: number;
  kind: 'text' | 'blank' | 'separator';
  /** Barcodes of a page with hardly any text; it is a separator if they are on another one, too. */
  codes: readonly string[];
  /** Whether it has a barcode and nothing else, as a sheet between documents has. */
  isSheet: boolean;
  look: PageLook;
  /** `Page 2 of 3` */
  counted: { number: number; total: number } | null;
  /** The lines at its top and bottom. */
  margins: readonly MarginLine[];
  /** Texts at its top, as a letterhead is. */
  top: readonly string[];
  /** Numbers with a label, such as that of an invoice. */
  references: Readonly<Record<string, string>>;
  /** The first date at its top, in a line of its own or beside the place. */
  date: string | null;
  /** Whether it begins as a letter or a form does: with a greeting, or the name of its kind. */
  opens: boolean;
  /** Whether it has a title and little else. */
  isTitle: boolean;
  isContents: boolean;
  /** Whether its first sentence began before it, and its last one does not end on it. */
  continues: boolean;
  breaksOff: boolean;
  /** Its most frequent longer words. */
  words: readonly string[];
}

export interface MarginLine extends PageLine {
  at: 'top' | 'bottom';
  /** Whether it has a number and no other word than `Page`. */
  isNumber: boolean;
  isRoman: boolean;
}

const TOP = 0.13;
const BOTTOM = 0.88;
const LONGEST_MARGIN = 120;
/** Of a page on which greetings, kinds and references are looked for. */
const UPPER = 0.5;
const LONGEST_LABEL = 200;
const LONGEST_KIND = 60;
const MOST_TEXTS = 12;
const MOST_WORDS = 60;
const LONGEST_TEXT = 20_000;
/** A separator sheet says little besides what it is. */
const SEPARATOR_CHARACTERS = 150;
/** Separator sheets that are counted say no more than their number. */
const COUNTED_CHARACTERS = 40;
const COUNTED_CODE = /^([\p{L}][\p{L}_ -]{1,15})\d{1,12}$/u;
const LONGEST_CODE = 500;
/** What a sheet may say besides its code: a word or a number. */
const SHEET_CHARACTERS = 20;
/** More of a page is not the barcode alone. */
const SHEET_INK = 0.25;
/** Links, contacts and numbers of books: on the back of a leaflet or a book, for its readers. */
const PUBLIC_CODE = /^(?:https?:|mailto:|tel:|smsto:|geo:|wifi:|www\.|97[89]\d{10}$)/iu;
/** Of the top of a page, that may have its date. */
const DATED_TEXTS = 8;
/** Dust and the shadow of an edge on a scanned blank page. */
const BLANK_INK = 0.004;
const TITLE_CHARACTERS = 500;

const COUNTED =
  /(?:\bpage|\bseite|\bblatt|\bp[áa]g(?:ina)?\.?|\bsheet|\bsida|\bside|\bstrona)[ :]{0,3}(\d{1,4}) ?(?:of|von|de|di|sur|van|av|af|z|\/) ?(\d{1,4})(?!\d|[.,]\d)/iu;
const COUNTED_ALONE = /^[^\p{L}\p{N}]{0,4}(\d{1,3}) ?(?:\/|of|von|de|sur|di) ?(\d{1,3})[^\p{L}\p{N}]{0,4}$/u;
const PAGE_WORD = /^(?:page|seite|pag|pág|página|pagina|blatt|sheet|sida|side|strona|p|s)?$/iu;
const GREETING =
  /^(?:dear|sehr geehrte|liebe[rs]? |guten tag|hello|to whom|madame|monsieur|messieurs|cher |chère |estimad[oa]s?|muy señor|caro |cara |gentile|spett|egregi|beste |geachte|prezad|hej )/iu;
const KIND =
  /^(?:tax |pro-?forma |commercial |sales |final |original |copy |vat )?(?:invoice|rechnung|facture|factura|fattura|fatura|factuur|faktura|receipt|quittung|beleg|credit note|gutschrift|avoir|delivery note|lieferschein|packing list|purchase order|bestellung|order confirmation|auftragsbestätigung|quotation|quote|angebot|devis|offer|statement of account|account statement|kontoauszug|mahnung|payment reminder|remittance advice|contract|vertrag|agreement|certificate|memo|memorandum|minutes)(?![\p{L}-])/iu;
const REFERENCE =
  /(?<![\p{L}\d])(invoice|rechnung|rechnungs|facture|factura|fattura|factuur|bill|receipt|credit note|order|bestell|auftrags?|booking|statement|our ref|reference|ref|aktenzeichen|case|claim)[- ]?(?:number|nummer|numéro|numero|no|nr|num|n°|nº|#|id)?[.:#]{0,2}[ :|#]{0,4}([\p{Lu}\d][\p{Lu}\d/.-]{2,24})(?![\p{L}\d])/giu;
const DATE =
  /(?<!\d)(?:\d{1,2}[./-]\d{1,2}[./-](?:19|20)\d\d|(?:19|20)\d\d-\d\d-\d\d|\d{1,2}\.? \p{L}{3,10},? (?:19|20)\d\d|\p{L}{3,10} \d{1,2}(?:st|nd|rd|th)?,? (?:19|20)\d\d)(?!\d)/iu;
const SEPARATOR =
  /^(?:[*=_ -]{0,10})(?:document separator|separator (?:sheet|page)|separator|trennblatt|trennseite|patch ?(?:code|t)|slip ?sheet|page de séparation|hoja separadora|new document|document break)\b/iu;
const CONTENTS =
  /^(?:table of )?contents$|^inhalt(?:sverzeichnis)?$|^table des matières$|^sommaire$|^índice$|^indice$|^inhoud/iu;

/** The signs of pages, without their text. */
export function signsOfPages(pages: readonly PageToSplit[]): PageSigns[] {
  return pages.map(signsOfPage);
}

function signsOfPage({ pageNumber: page, elements, isRead, look, picture }: PageToSplit): PageSigns {
  const texts = elements.slice(0, 400).map((element) => ({
    element,
    text: onOneLine(plainText(element).slice(0, LONGEST_TEXT))
      .replaceAll(/ ?\| ?/g, ' ')
      .trim(),
  }));
  const written = texts.filter(({ text }) => text !== '');
  const upper = written.filter(({ element: { box } }) => box.y < UPPER);
  const body = written.filter(({ element }) => !isMargin(element));
  const characters = written.reduce((sum, { text }) => sum + text.length, 0);
  const headings = body.filter(({ element }) => element.type === 'heading');
  const { references, isList } = referencesOf(written);
  const counted = countOf(written);
  return {
    page,
    look,
    kind: kindOf({ characters, elements, isRead, picture, text: written[0]?.text ?? '' }),
    codes: isRead ? codesOf(picture, characters) : [],
    isSheet: isRead && counted === null && isSheet(picture, written, page),
    counted,
    margins: written
      .filter(({ element }) => isMargin(element))
      .flatMap((line) => marginLine(line, page))
      .slice(0, MOST_TEXTS * 2),
    top: upper
      .filter(({ text }) => text.length <= LONGEST_LABEL)
      .slice(0, MOST_TEXTS)
      .map(({ text }) => text),
    references,
    date: dateOf(upper.slice(0, DATED_TEXTS)),
    opens: upper.some(
      ({ text }) => GREETING.test(text) || (!isList && text.length <= LONGEST_KIND && KIND.test(text)),
    ),
    isTitle: headings.length > 0 && characters < TITLE_CHARACTERS,
    isContents: headings.some(({ text }) => CONTENTS.test(text)),
    continues: body[0]?.element.type === 'paragraph' && /^\p{Ll}/u.test(body[0].text),
    breaksOff: body.at(-1)?.element.type === 'paragraph' && /[\p{Ll},-]$/u.test(body.at(-1)?.text ?? ''),
    words: frequentWords(body.map(({ text }) => text)),
  };
}

interface Written {
  element: PageElement;
  text: string;
}

function kindOf({
  characters,
  elements,
  isRead,
  picture,
  text,
}: {
  characters: number;
  elements: readonly PageElement[];
  isRead: boolean;
  picture: PagePicture | undefined;
  text: string;
}): PageSigns['kind'] {
  if (!isRead) return 'text';
  const says = [text, ...(picture?.barcodes ?? [])];
  if (characters <= SEPARATOR_CHARACTERS && says.some((each) => SEPARATOR.test(each))) return 'separator';
  if (picture && picture.barcodes.length > 0) return 'text';
  const isEmpty = characters === 0 && elements.every(({ type }) => type === 'paragraph');
  return isEmpty && (picture?.ink ?? 1) <= BLANK_INK ? 'blank' : 'text';
}

/** What other separator sheets have, too: their whole code, or what is before its number. */
function codesOf(picture: PagePicture | undefined, characters: number): string[] {
  if (!picture || characters > SEPARATOR_CHARACTERS) return [];
  const codes = picture.barcodes
    .filter((code) => !PUBLIC_CODE.test(code))
    .map((code) => code.slice(0, LONGEST_CODE));
  const series =
    characters > COUNTED_CHARACTERS ? [] : codes.flatMap((code) => COUNTED_CODE.exec(code)?.[1] ?? []);
  return [...new Set([...codes, ...series])];
}

/** A barcode, what it says, and a word or a number, but none of a page. */
function isSheet(picture: PagePicture | undefined, written: readonly Written[], page: number): boolean {
  const [code, ...more] = picture?.barcodes ?? [];
  if (!picture || code === undefined || more.length > 0 || PUBLIC_CODE.test(code)) return false;
  if (picture.ink > SHEET_INK || code.length > COUNTED_CHARACTERS) return false;
  const said = bare(code);
  const others = written.filter(({ text }) => bare(text) !== said);
  if (
    others.some((line) => isMargin(line.element) && marginLine(line, page).some(({ isNumber }) => isNumber))
  )
    return false;
  const rest = bare(others.map(({ text }) => text).join(' ')).replace(said, '');
  return rest.length <= SHEET_CHARACTERS;
}

/** Without the spaces and signs that are printed around and within a code. */
const bare = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '');

const isMargin = ({ role, box }: PageElement): boolean =>
  role === 'page_header' || role === 'page_footer' || box.y + box.h < TOP || box.y > BOTTOM;

function marginLine({ element, text }: Written, page: number): MarginLine[] {
  if (text.length > LONGEST_MARGIN) return [];
  const line = pageLine(text, page);
  const letters = line.words.replaceAll(/[^\p{L}]+/gu, '');
  return [
    {
      ...line,
      at: element.box.y < UPPER ? 'top' : 'bottom',
      isNumber: line.numbers.length === 1 && PAGE_WORD.test(letters),
      isRoman: line.numbers.length > 0 && !/\p{N}/u.test(text),
    },
  ];
}

function countOf(written: readonly Written[]): PageSigns['counted'] {
  for (const { element, text } of written) {
    if (text.length > LONGEST_LABEL) continue;
    const found = COUNTED.exec(text) ?? (isMargin(element) ? COUNTED_ALONE.exec(text) : null);
    const [number, total] = [Number(found?.[1]), Number(found?.[2])];
    if (number >= 1 && number <= total) return { number, total };
  }
  return null;
}

function dateOf(upper: readonly Written[]): string | null {
  for (const { text } of upper) {
    const found = text.length <= LONGEST_LABEL ? DATE.exec(text) : null;
    if (found) return found[0].toLowerCase();
  }
  return null;
}

/** Of labels with one value on the page: in lists, and in tables, are those of other documents. */
function referencesOf(written: readonly Written[]): { references: Record<string, string>; isList: boolean } {
  const values = new Map<string, { value: string; isUpper: boolean; isOnly: boolean }>();
  for (const { element, text } of written) {
    if (element.type === 'table') continue;
    for (const [, given = '', value = ''] of text.slice(0, 2_000).matchAll(REFERENCE)) {
      if (value.replaceAll(/\D/g, '').length < 3) continue;
      const label = given.toLowerCase();
      const known = values.get(label);
      if (known) known.isOnly &&= known.value === value;
      else values.set(label, { value, isUpper: element.box.y < UPPER, isOnly: true });
    }
  }
  const own = [...values].filter(([, { isUpper, isOnly }]) => isUpper && isOnly);
  return {
    references: Object.fromEntries(own.map(([label, { value }]) => [label, value])),
    isList: [...values.values()].some(({ isOnly }) => !isOnly),
  };
}

function frequentWords(texts: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const text of texts)
    for (const [word] of text.toLowerCase().matchAll(/\p{L}{5,24}/gu))
      counts.set(word, (counts.get(word) ?? 0) + 1);
  const sorted = [...counts].toSorted(([, one], [, other]) => other - one);
  return sorted.slice(0, MOST_WORDS).map(([word]) => word);
}
