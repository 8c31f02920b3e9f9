import type { WrittenSentence } from '../../../domain/ask/answer.ts';
import type { LaidOutElement, PageBox } from 'darkroom-reader/document';
import type { ModelCall } from './model-work.ts';
import type { Answered, VisionAnswer } from './vision-answer.ts';

/** A page and its lines, for a model to divide into its elements. */
export interface PageToLayOut {
  image(): Promise<{ bytes: Uint8Array; contentType: string }>;
  pageNumber: number;
  pageCount: number;
  /** By number, from 1; boxes are relative to the image. */
  lines: readonly { text: string; box: PageBox }[];
}

/** A layout without problems, see `layoutProblems`. */
export interface PageLayout extends Omit<Answered, 'confidence'> {
  elements: readonly LaidOutElement[];
}

/** Input for the description of a document. */
export interface DocumentToDescribe {
  /** The client's file name: a hint, never trusted. */
  filename: string;
  title: string | null;
  pageCount: number;
  /** ISO 639-1; null if it cannot be detected. */
  language: string | null;
  /** Headings of the whole document, up to a limit. */
  headings: readonly string[];
  /** The beginning of the text. */
  text: string;
}

/** A question, and the passages that may answer it. */
export interface QuestionToAnswer {
  question: string;
  /** Numbered from 1 in the answer. */
  passages: readonly {
    /** The client's file name: a hint, never trusted. */
    filename: string;
    headingPath: readonly string[];
    pageNumbers: readonly number[];
    text: string;
  }[];
  maxOutputTokens: number;
}

/** An answer as the model has written it: neither its quotes nor what it says is checked. */
export interface WrittenAnswer extends Omit<Answered, 'confidence'> {
  /** False if the passages do not answer the question. */
  answered: boolean;
  sentences: WrittenSentence[];
}

/** A model's document tasks; errors as for images, see VisionModel. */
export interface DocumentModel {
  /** Divides a page into its elements. Every line has at most one place; a few may have none. */
  layOut(page: PageToLayOut, call: ModelCall): Promise<PageLayout>;
  /** Describes a document by its text. */
  describe(document: DocumentToDescribe, options: { signal: AbortSignal }): Promise<VisionAnswer>;
  /** Answers a question from passages. */
  answer(question: QuestionToAnswer, options: { signal: AbortSignal }): Promise<WrittenAnswer>;
}
