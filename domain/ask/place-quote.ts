import { cite } from '../structured-extraction/cite.ts';
import type { ReadPage } from '../structured-extraction/read-page.ts';
import type { AnswerCitation, Passage } from './answer.ts';
import type { FoundQuote } from './support.ts';

export interface PageOfDocument extends ReadPage {
  documentId: string;
}

/**
 * A quote with its page and its box there: those of the lines that have its text. A quote that runs over more lines than
 * that is placed by its beginning; without a place it is on the first page of its passage.
 */
export function citationOf(
  { passage: index, text }: FoundQuote,
  { passages, pages }: { passages: readonly Passage[]; pages: readonly PageOfDocument[] },
): AnswerCitation {
  const passage = passages[index];
  if (!passage) throw new Error(`there is no passage ${index}`);
  const { documentId, chunkId, filename, pageNumbers } = passage;
  const near = pages.filter(
    (page) => page.documentId === documentId && pageNumbers.includes(page.pageNumber),
  );
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
