/** Texts and questions of the corpus in one language. */
export interface CorpusLanguage {
  /** ISO 639-1. */
  code: string;
  /** Topics of documents: one half in each split. */
  names: readonly string[];
  persons: readonly string[];
  topics: readonly Topic[];
  /** Sentences without facts. */
  filler: readonly string[];
}

export interface Topic {
  heading: string;
  /** `#` is the fact. A table has a row for each part that `|` separates instead; its fact is in the second one. */
  statement: string;
  /** `@` is the topic of the document. One of each pair is for development, the other for the final measurement. */
  questions: readonly [string, string];
  fact: 'year' | 'number' | 'person';
}
