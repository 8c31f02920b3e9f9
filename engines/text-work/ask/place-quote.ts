import { plainText } from 'darkroom-reader/document';
import { cite } from '../cite.ts';
import type { ReadPage } from '../../../domain/structured-extraction/read-page.ts';
import type { AnswerCitation, Passage } from '../../../domain/ask/answer.ts';
import { bareHeading, rowsByLine } from './sentences.ts';
import type { CitedPassage, FoundQuote } from './support.ts';

export interface PageOfDocument extends ReadPage {
  documentId: string;
}

interface Given {
  passages: readonly Passage[];
  pages: readonly PageOfDocument[];
}

/** The passages with what their pages know of them: which of their lines are rows of tables, and which are headings. */
export function readPassages({ passages, pages }: Given): CitedPassage[] {
  return passages.map((passage) => {
    const elements = pagesOf(passage, pages).flatMap((page) => page.elements);
    const headings = elements.filter((element) => element.type === 'heading');
    return {
      ...passage,
      rows: rowsByLine(elements.filter((element) => element.type === 'table')),
      headings: new Set(headings.map((heading) => bareHeading(plainText(heading)))),
    };
  });
}

function pagesOf({ documentId, pageNumbers }: Passage, pages: readonly PageOfDocument[]): PageOfDocument[] {
  return pages.filter((page) => page.documentId === documentId && pageNumbers.includes(page.pageNumber));
}

/**
 * A quote with its page and its box there: those of the lines that have its text. A quote that runs over more lines than
 * that is placed by its beginning; without a place it is on the first page of its passage.
 */
export function citationOf({ passage: index, text }: FoundQuote, { passages, pages }: Given): AnswerCitation {
  const passage = passages[index];
  if (!passage) throw new Error(`there is no passage ${index}`);
  const { documentId, chunkId, filename, pageNumbers } = passage;
  const near = pagesOf(passage, pages);
  const [begin = text] = text.split('\n');
  const cited = cite({ text }, near)['/text'] ?? cite({ text: begin }, near)['/text'];
  return {
    documentId,
    chunkId,
    filename,
    page: cited?.page ?? pageNumbers[0] ?? 1,
    box: cited?.boundingBox ?? null,
    quote: text,
  };
}
