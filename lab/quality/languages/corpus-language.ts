/** Texts of generated documents in one language. */
export interface CorpusLanguage {
  /** ISO 639-1. */
  code: string;
  /** Names of documents: one half for each split. */
  names: readonly string[];
  persons: readonly string[];
  topics: readonly Topic[];
  /** Sentences without facts. */
  filler: readonly string[];
}

export interface Topic {
  heading: string;
  /** `#` stands for the fact. With `|`, a table instead: a row for each separated part, with the fact in the second. */
  statement: string;
  fact: 'year' | 'number' | 'person';
}
