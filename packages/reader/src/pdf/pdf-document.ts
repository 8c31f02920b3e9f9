import { withNotes } from '../document/document-profile.ts';
import { plainText } from '../document/element.ts';
import type { PageContent, PageElement } from '../document/page.ts';
import { detectLanguage } from '../language.ts';
import {
  type DocumentFacts,
  type OpenDocument,
  type PageLook,
  type PageWithLines,
  UnreadableDocument,
} from '../opened-document.ts';
import { beginsWithTable, continueTable } from '../layout/continued-tables.ts';
import { headingTiers } from '../layout/headings.ts';
import { headingStyles, layOutPage } from '../layout/lay-out-page.ts';
import { layoutConfidence } from '../layout/layout-confidence.ts';
import { pageLines } from '../layout/page-lines.ts';
import { imposedPages, isImposed } from '../layout/imposed-pages.ts';
import type { PageParts, Run } from '../layout/page-parts.ts';
import { cleanText } from '../layout/plain-text.ts';
import { turnElement } from '../layout/present-part.ts';
import { bodyStyle, countStyles, isLayoutProfile, type LayoutProfile } from '../layout/profile.ts';
import { outerRows, runningBands } from '../layout/running-bands.ts';
import { marginLine, marginRows, runningLines } from '../layout/running-lines.ts';
import { taggedColumns } from '../layout/tagged-parts.ts';
import { toSegments } from '../layout/segments.ts';
import { extractPages } from './extract-pages.ts';
import { withCaptions } from '../layout/captions.ts';
import { formValues, isDynamicForm, readFormData } from './form-values.ts';
import { markLinks } from './links.ts';
import { openPdf, type Pdf } from './open-pdf.ts';
import { lookOfPage } from './page-looks.ts';
import { pictureOf } from './page-picture.ts';
import { createPageReader, type PdfPageText } from './read-page.ts';
import { drawPage, renderPage } from './render-page.ts';

/** Pages from which a document's profile is learned, spread over the whole document. */
const SAMPLED_PAGES = 150;
/** Maximum number of pages sampled for the language, and of characters of each. */
const PAGES_WITH_LANGUAGE = 60;
const SAMPLE_OF_PAGE = 1_500;
/** Pages before one on which the header of its table is looked for. */
const LONGEST_TABLE = 50;
/** Font sizes that differ by less than this share are the same. */
const SAME_SIZE = 0.03;

const NOT_LAID_OUT =
  'The document is a form that only programs of Adobe show (XFA); what was filled in is read by the names of its fields, and nothing else of it.';

/** @throws UnreadableDocument */
export async function openPdfDocument(path: string): Promise<OpenDocument> {
  const pdf = await openPdf(path);
  const read = createPageReader(pdf);

  async function inspect(): Promise<DocumentFacts> {
    const learned = createLearner();
    const pagesToRecognise: number[] = [];
    let failed = 0;
    const every = Math.max(1, Math.ceil(pdf.pageCount / SAMPLED_PAGES));
    for (let number = 1; number <= pdf.pageCount; number++) {
      // A page that cannot be read may still be rendered; if not, it fails alone.
      const page = await read(number).catch((error: unknown) => {
        failed += 1;
        if (failed === pdf.pageCount) throw error;
      });
      if (!page?.usable) pagesToRecognise.push(number);
      // Neighbours, as headers of left and right pages differ.
      else if (Math.floor((number - 1) / 2) % every === 0) learned.add(number, page);
    }
    const isDynamic = await pdf.withDocument(isDynamicForm);
    return {
      pageCount: pdf.pageCount,
      ...readFacts(pdf),
      language: learned.language(),
      pagesToRecognise,
      profile: withNotes(learned.profile(), isDynamic ? [NOT_LAID_OUT] : []),
    };
  }

  /** A page is read without it where it cannot be read. */
  const readFilledIn = async () => formValues(await pdf.withDocument(readFormData));

  async function layOut(number: number, profile: LayoutProfile | undefined) {
    const page = await read(number);
    const parts = page.parts.map((part) => ({
      part,
      upright: layOutPage(part, { profile, pageNumber: number, columns: columnsOf(part, profile) }),
    }));
    const elements = parts.flatMap(({ part, upright }): PageElement[] =>
      upright.map((element) => turnElement(element, part.turns)),
    );
    const filledIn = number === 1 ? await readFilledIn().catch(() => []) : [];
    return { page, parts, elements: [...elements, ...page.asides, ...filledIn] };
  }

  /** The page that was read last, with the headers of its tables. */
  const before: { number: number; elements: readonly PageElement[] } = { number: 0, elements: [] };

  /** The elements of a page; a table at its top that goes on from the pages before has their header. */
  async function continued(
    number: number,
    elements: readonly PageElement[],
    profile: LayoutProfile | undefined,
  ): Promise<readonly PageElement[]> {
    if (number === 1 || !beginsWithTable(elements)) return elements;
    const waiting: { number: number; elements: readonly PageElement[] }[] = [];
    let at = number - 1;
    for (; at >= Math.max(1, number - LONGEST_TABLE) && at !== before.number; at--) {
      const page = (await layOut(at, profile).catch(() => undefined))?.elements ?? [];
      waiting.push({ number: at, elements: page });
      if (!beginsWithTable(page)) break;
    }
    let above = at === before.number ? before.elements : [];
    for (const page of waiting.toReversed()) above = continueTable(page.elements, above);
    return continueTable(elements, above);
  }

  async function readPage(
    number: number,
    profile: LayoutProfile | undefined,
    linesBelow: number,
  ): Promise<PageContent | PageWithLines> {
    const { page, parts, elements: own } = await layOut(number, profile);
    const elements = await continued(number, own, profile);
    Object.assign(before, { number, elements });
    const language = detectLanguage(elements.map(plainText).join(' '));
    const [first] = parts;
    const main = first?.part;
    const confidence = first ? layoutConfidence(first.upright, first.part) : 1;
    const content = {
      pageNumber: number,
      source: 'text_layer',
      language,
      elements: withCaptions(markLinks(elements, page.links)),
      confidence,
    } as const;
    // Text in other directions is not part of the lines: a stamp beside them.
    return main && confidence < linesBelow && page.parts.length === 1
      ? { ...content, lines: pageLines(main, ({ size }) => size) }
      : content;
  }

  return {
    pageCount: pdf.pageCount,
    inspect,
    async readPages(profile, pageNumbers, linesBelow = 0) {
      const known = isLayoutProfile(profile) ? profile : undefined;
      const pages: (PageContent | PageWithLines)[] = [];
      for (const number of pageNumbers) {
        if (number < 1 || number > pdf.pageCount)
          throw new UnreadableDocument('damaged', `The document has no page ${number}.`);
        pages.push(await readPage(number, known, linesBelow));
      }
      return pages;
    },
    renderPage: (number) => pdf.withPage(number, renderPage),
    drawPage: (number, bounds) => pdf.withPage(number, (page) => drawPage(page, bounds)),
    pagePicture: async (number) => pictureOf(await pdf.withPage(number, renderPage)),
    async pageLooks(pageNumbers) {
      const looks: PageLook[] = [];
      for (const number of pageNumbers)
        // A page that cannot be opened looks like none.
        looks.push(await pdf.withPage(number, lookOfPage).catch(() => ({ width: 0, height: 0, fonts: [] })));
      return looks;
    },
    extractPages: (first, last) =>
      pdf.withDocument((pdfium, document) => extractPages(pdfium, document, { first, last })),
    // Its engine and memory go with it.
    close: async () => undefined,
  };
}

/** The columns that are known before any rules: by the tags of a page, or the two pages of a sheet. */
function columnsOf(part: PageParts, profile: LayoutProfile | undefined): Run[][] {
  const tagged = taggedColumns(part);
  return tagged.length > 1
    ? tagged
    : imposedPages(part, profile ? profile.imposed === true : isImposed([part]));
}

/** Learns the common properties of a document's pages. */
function createLearner() {
  const pages: (PageParts & { pageNumber: number })[] = [];
  const counts = new Map<string, number>();
  const languages = new Map<string, number>();
  return {
    add(pageNumber: number, page: PdfPageText): void {
      const [parts] = page.parts;
      if (!parts) return;
      pages.push({ ...parts, pageNumber });
      countStyles(parts.runs, counts);
      if (pages.length <= PAGES_WITH_LANGUAGE) {
        const text = parts.runs.map((run) => run.text).join(' ');
        const language = detectLanguage(text.slice(0, SAMPLE_OF_PAGE));
        if (language) languages.set(language, (languages.get(language) ?? 0) + 1);
      }
    },
    /** The language of most pages: tables of contents and listings are unreliable. */
    language: () => [...languages].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? null,
    profile(): LayoutProfile {
      const body = bodyStyle(counts);
      const lines = pages.map(({ runs, height, pageNumber: number }) => ({
        segments: toSegments(runs),
        at: { number, height },
      }));
      const margins = lines.map(({ segments, at }) =>
        marginRows(segments, at.height).flatMap((row) => marginLine(row, body, at) ?? []),
      );
      const bands = runningBands(lines.map(({ segments, at }) => outerRows(segments, body, at)));
      const profile = { body, headings: [], running: runningLines(margins), bands };
      const styles = pages.flatMap((page) => headingStyles(page, profile, page.pageNumber));
      const imposed = isImposed(pages);
      return { ...profile, headings: headingTiers(styles, SAME_SIZE), ...(imposed && { imposed }) };
    },
  };
}

const LONGEST = 500;

/** Metadata of a PDF; usually missing, sometimes wrong. */
function readFacts(pdf: Pdf): Pick<DocumentFacts, 'title' | 'author' | 'createdAt'> {
  const text = (key: string): string | null => cleanText(pdf.metadata(key)).trim().slice(0, LONGEST) || null;
  return { title: text('Title'), author: text('Author'), createdAt: readDate(pdf.metadata('CreationDate')) };
}

/** A date of PDF, `D:20260131120000+01'00'`, of which all parts but the year may be missing, as ISO 8601. */
function readDate(text: string): string | null {
  const [, year, month = '01', day = '01', hour = '00', minute = '00', second = '00', zone] =
    /^(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(Z|[+-]\d\d'?\d\d|[+-]\d\d)?/.exec(text) ?? [];
  if (year === undefined) return null;
  const shift =
    zone === undefined || zone === 'Z' ? 'Z' : zone.replace("'", '').padEnd(5, '0').replace(/..$/, ':$&');
  const date = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}${shift}`);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}
