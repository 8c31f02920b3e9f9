import { pageText, chunkPages, proseOf } from '../../domain/documents/chunking.ts';
import { furtherWords } from '../../domain/documents/dictionaries.ts';
import { languageOfDocument } from './text-language.ts';
import {
  layoutProblems,
  type LaidOutElement,
  type PageLines,
  type PageContent,
  type PageElement,
} from 'darkroom-reader/document';
import {
  arrangeLines,
  layOutWords,
  type PageRaster,
  type PageWithLines,
  type RecognisedWord,
  settlePages,
} from 'darkroom-reader';
import { type Extent, extentOf, frequentWords, summarise, type SummarisedDocument } from './summary.ts';
import type { AnswerSentence, Passage, WrittenSentence } from '../../domain/ask/answer.ts';
import { answerCandidates, type Candidate } from './ask/best-sentences.ts';
import { citationOf, type PageOfDocument, readPassages } from './ask/place-quote.ts';
import { checkSentence, type FoundQuote } from './ask/support.ts';
import { MAX_LISTED_TEXT } from '../../domain/limits.ts';
import { cite } from './cite.ts';
import type { Citations } from '../../domain/structured-extraction/extraction.ts';
import { type JsonSchema, leavesOf } from '../../domain/structured-extraction/json-schema.ts';
import type { SplitProposal } from '../../domain/splits.ts';
import type { ReadPage } from '../../domain/structured-extraction/read-page.ts';
import { readManifest } from './read-manifest.ts';
import { type PageSigns, type PageToSplit, signsOfPages } from './split/page-signs.ts';
import { proposeParts } from './split/propose-parts.ts';
import { tidyAnswer } from './tidy-answer.ts';
import { mergeWindows } from '../../domain/structured-extraction/windows.ts';
import { countTokens } from './count-tokens.ts';
import { extractLocally, type Found } from '../local-extraction/extract-locally.ts';
import { jsonSchemaCheck, type Checked } from './answer-check.ts';
import { detectByLetters, withDictionaries, type DividedChunk } from './languages.ts';

/** A document whose pages have all been read. */
export interface SettledDocument {
  /** Pages changed by settling the whole document. */
  changed: PageContent[];
  chunks: DividedChunk[];
  /** ISO 639-1; null if its text does not tell and none was supposed. */
  language: string | null;
  /** Search text for lists: the beginning, and the words that occur only in the rest. */
  beginning: string;
  further: string;
}

/** An extractive summary. */
export interface OwnWords {
  description: string;
  /** Most frequent first. */
  frequent: string[];
}

/** The result of an extraction, or why there is none. */
export type Finished =
  | { data: Record<string, unknown>; citations: Citations | null }
  | { problem: 'empty' }
  | { problem: 'invalid'; message: string };

/** All CPU-bound work on text of tenant-controlled length, one call each, for a separate thread (thread.ts). */
export const TASKS = {
  /** Reads lines of the manifest of an import. */
  readManifest,

  /**
   * Settles pages and divides their text into chunks.
   *
   * @param given.language supposed before its text was read
   */
  settleDocument({
    pages,
    language: supposed,
  }: {
    pages: readonly PageContent[];
    language: string | null;
  }): SettledDocument {
    const settled = settlePages(pages);
    const language = languageOfDocument(proseOf(settled), supposed, detectByLetters);
    const text = settled.map(pageText).join('\n');
    return {
      changed: settled.filter((page, at) => page !== pages[at]),
      chunks: withDictionaries(chunkPages(settled, countTokens), language),
      language,
      beginning: text.slice(0, MAX_LISTED_TEXT),
      further: furtherWords(text, MAX_LISTED_TEXT, MAX_LISTED_TEXT),
    };
  },

  /** What tells where documents begin, of pages of a document that may be several. */
  signsOfPages({ pages }: { pages: readonly PageToSplit[] }): PageSigns[] {
    return signsOfPages(pages);
  },

  /** The documents in a document, by the signs of all its pages. */
  proposeParts({
    signs,
    keepSeparators,
  }: {
    signs: readonly PageSigns[];
    keepSeparators: boolean;
  }): SplitProposal {
    return proposeParts(signs, keepSeparators);
  },

  extentOfPages({ pages }: { pages: readonly PageContent[] }): Extent {
    return extentOf(pages);
  },

  /** @param given.most number of frequent words */
  sumUpDocument({
    document,
    extent,
    most,
  }: {
    document: SummarisedDocument;
    extent: Extent;
    most: number;
  }): OwnWords {
    return { description: summarise(document, extent), frequent: frequentWords(document.pages, most) };
  },

  /** The structure of a page from its recognised words. */
  layOutWords({
    pageNumber,
    raster,
    words,
    profile,
  }: {
    pageNumber: number;
    raster: PageRaster;
    words: readonly RecognisedWord[];
    profile: unknown;
  }): PageWithLines {
    return layOutWords(pageNumber, raster, words, profile);
  },

  /** Problems of a model's layout of a page. */
  layoutProblems({
    elements,
    lines,
  }: {
    elements: readonly LaidOutElement[];
    lines: readonly { text: string }[];
  }): string[] {
    return layoutProblems(elements, lines);
  },

  /** The elements of a page from a model's layout. */
  arrangeLines({
    page,
    elements,
    profile,
  }: {
    page: PageLines;
    elements: readonly LaidOutElement[];
    profile: unknown;
  }): PageElement[] {
    return arrangeLines(page, elements, profile);
  },

  /** Extracts data by a schema from labels alone. */
  extractLocally({ pages, schema }: { pages: readonly ReadPage[]; schema: JsonSchema }): Found {
    return extractLocally(pages, schema, (value, part) => 'value' in jsonSchemaCheck({ ...part })(value));
  },

  /** A model's answer in the schema's notation, or its problems. */
  checkAnswer({ answer, schema }: { answer: unknown; schema: JsonSchema }): Checked<unknown> {
    return jsonSchemaCheck({ ...schema })(tidyAnswer(answer, schema));
  },

  /**
   * Combines the answers for the parts of an extraction.
   *
   * @param given.pages to cite from; null for no citations
   * @param given.orNull whether what was not found is null, instead of a problem
   */
  finishExtraction({
    parts,
    schema,
    pages,
    orNull,
  }: {
    parts: readonly unknown[];
    schema: JsonSchema;
    pages: readonly ReadPage[] | null;
    orNull: boolean;
  }): Finished {
    const data = mergeWindows(parts);
    if (orNull && !('value' in jsonSchemaCheck({ ...schema, minProperties: 1 })(data))) {
      const missing = Object.fromEntries(Object.keys(schema.properties ?? {}).map((name) => [name, null]));
      return { data: { ...missing, ...(data as object) }, citations: pages && cite(data, pages) };
    }
    if (!leavesOf(data).some(({ value }) => value !== '')) return { problem: 'empty' };
    const checked = jsonSchemaCheck({ ...schema })(data);
    if ('problems' in checked) return { problem: 'invalid', message: checked.problems[0] ?? 'is invalid' };
    return { data: data as Record<string, unknown>, citations: pages && cite(data, pages) };
  },

  /**
   * The sentences of a model's answer, each checked against its quotes.
   *
   * @param given.pages of the documents, to find the places of quotes
   */
  checkSentences({
    sentences,
    ...given
  }: {
    sentences: readonly WrittenSentence[];
    passages: readonly Passage[];
    pages: readonly PageOfDocument[];
  }): AnswerSentence[] {
    const passages = readPassages(given);
    return sentences.map((sentence) => {
      const { supported, quotes } = checkSentence(sentence, passages);
      return { text: sentence.text, supported, citations: quotes.map((quote) => citationOf(quote, given)) };
    });
  },

  /** The sentences of passages that may answer a question, best first by its words. */
  findCandidates({
    question,
    ...given
  }: {
    question: string;
    passages: readonly Passage[];
    pages: readonly PageOfDocument[];
  }): Candidate[] {
    return answerCandidates(question, readPassages(given));
  },

  /** Quotes as sentences of an answer, which cite themselves. */
  citeQuotes({
    quotes,
    ...given
  }: {
    quotes: readonly FoundQuote[];
    passages: readonly Passage[];
    pages: readonly PageOfDocument[];
  }): AnswerSentence[] {
    return quotes.map((quote) => ({
      text: quote.text,
      supported: true,
      citations: [citationOf(quote, given)],
    }));
  },
};

type Tasks = typeof TASKS;
export type TaskName = keyof Tasks;
export type Input<Name extends TaskName> = Parameters<Tasks[Name]>[0];
export type Result<Name extends TaskName> = ReturnType<Tasks[Name]>;
