import type { PageBox } from 'darkroom-reader/document';

/** `processing` until its workflow has recorded its end. */
export const ANSWER_STATUSES = ['processing', 'completed', 'failed'] as const;

/** Who wrote the sentences: a model, or nobody, because they are sentences of the passages themselves. */
export const ANSWERED_BY = ['model', 'passages'] as const;
export type AnsweredBy = (typeof ANSWERED_BY)[number];

/** How long an answer can be read again: as long as an Idempotency-Key is kept. */
export const ANSWER_HOURS = 24;

/** 12,000 tokens of chunks of full length. */
export const MAX_PASSAGES = 20;
export const USUAL_PASSAGES = 8;
/** Longer answers do not become better ones; each sentence is checked. */
export const MAX_SENTENCES = 24;
export const MAX_SENTENCE_LENGTH = 600;
export const MAX_QUOTES = 4;
/** The length of the longest chunks, about. */
export const MAX_QUOTE_LENGTH = 3000;

/** A passage that search has found for a question, as it was then. */
export interface Passage {
  chunkId: string;
  documentId: string;
  filename: string;
  headingPath: readonly string[];
  pageNumbers: readonly number[];
  text: string;
  similarity: number | null;
}

/** What remains of a passage while its answer is in progress, once its document is purged. */
export const NO_TEXT = { text: '', filename: '', headingPath: [] } as const satisfies Partial<Passage>;

/** A sentence as a model has written it; passages are counted from 1. */
export interface WrittenSentence {
  text: string;
  quotes: readonly { passage: number; quote: string }[];
}

/** A verified quote. */
export interface AnswerCitation {
  documentId: string;
  chunkId: string;
  filename: string;
  /** Numbered from 1. */
  page: number;
  /** The place on the page; null for text without one. */
  box: PageBox | null;
  /** Whole sentences of the passage, as they are written there. */
  quote: string;
}

export interface AnswerSentence {
  text: string;
  /** Whether its citations carry it, see `checkSentence`. */
  supported: boolean;
  citations: readonly AnswerCitation[];
}
