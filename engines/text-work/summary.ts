import { isBody } from '../../domain/documents/chunking.ts';
import { type DocumentType, plainText, type PageContent } from 'darkroom-reader/document';

/** The facts about a document besides its text. */
export interface SummarisedDocument {
  /** `link` for a web page. */
  type: DocumentType | 'link';
  title: string | null;
  pageCount: number;
  pages: readonly PageContent[];
}

const NAMES: Readonly<Record<SummarisedDocument['type'], string>> = {
  pdf: 'PDF',
  docx: 'Word document',
  txt: 'Text',
  md: 'Markdown document',
  html: 'HTML document',
  csv: 'Table',
  xlsx: 'Workbook',
  pptx: 'Presentation',
  epub: 'Book',
  rtf: 'Text document',
  eml: 'E-mail',
  msg: 'E-mail',
  odt: 'Text document',
  ods: 'Workbook',
  odp: 'Presentation',
  tiff: 'Scan',
  link: 'Web page',
};
const HEADINGS = 6;
const SENTENCES = 2;
const MAX_SENTENCE = 300;
const LEAST_LETTERS = 4;

/** How much of a document some of its pages are. */
export interface Extent {
  words: number;
  tables: number;
}

export function extentOf(pages: readonly PageContent[]): Extent {
  const elements = pages.flatMap((page) => page.elements);
  return {
    words: elements.reduce((sum, each) => sum + (plainText(each).match(/[\p{L}\p{N}]+/gu)?.length ?? 0), 0),
    tables: elements.filter((element) => element.type === 'table' && isBody(element)).length,
  };
}

/**
 * An extractive description: the document's size, headings and first sentences. Nothing is inferred.
 *
 * @param extent of all pages; those of the document may be its first ones
 */
export function summarise(document: SummarisedDocument, { words, tables }: Extent): string {
  const { type, title, pageCount, pages } = document;
  const elements = pages.flatMap((page) => page.elements.filter(isBody));
  const named = title?.trim() ? ` "${title.trim()}"` : '';
  const size = [
    ...(type === 'link' ? [] : [plural(pageCount, 'page')]),
    plural(words, 'word'),
    ...(tables > 0 ? [plural(tables, 'table')] : []),
  ];
  const headings = elements
    .filter((element) => element.type === 'heading')
    .toSorted((a, b) => a.level - b.level)
    .slice(0, HEADINGS)
    .map(({ content }) => content.trim());
  const begins = leadingSentences(elements.find((element) => element.type === 'paragraph')?.content ?? '');
  return [
    `${NAMES[type]}${named}, ${size.join(', ')}.`,
    ...(headings.length > 0 ? [`Headings: ${headings.join('; ')}.`] : []),
    ...(begins ? [`It begins: ${begins}`] : []),
  ].join(' ');
}

/** The most frequent words of the document, including stop words; words in headings count three times. */
export function frequentWords(pages: readonly PageContent[], most: number): string[] {
  const counts = new Map<string, number>();
  for (const element of pages.flatMap((page) => page.elements.filter(isBody))) {
    const weight = element.type === 'heading' ? 3 : 1;
    for (const [word] of plainText(element)
      .toLowerCase()
      .matchAll(/\p{L}[\p{L}'-]*/gu)) {
      if (word.length < LEAST_LETTERS) continue;
      counts.set(word, (counts.get(word) ?? 0) + weight);
    }
  }
  return [...counts]
    .filter(([, count]) => count > 1)
    .toSorted(([a, m], [b, n]) => n - m || a.localeCompare(b))
    .slice(0, most)
    .map(([word]) => word);
}

function leadingSentences(text: string): string {
  const sentences = [...new Intl.Segmenter(undefined, { granularity: 'sentence' }).segment(text.trim())];
  const leading = sentences
    .slice(0, SENTENCES)
    .map(({ segment }) => segment)
    .join('')
    .trim();
  return leading.length > MAX_SENTENCE
    ? `${leading.slice(0, MAX_SENTENCE).toWellFormed().trimEnd()} …`
    : leading;
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
