/** What the documents of the corpus say, and what is asked of them, in one language. */
export interface CorpusLanguage {
  /** ISO 639-1. */
  code: string;
  /** What documents are about: one half in each split. */
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
  /** `@` is what the document is about. Of each pair one is asked while working and the other in the end. */
  questions: readonly [string, string];
  fact: 'year' | 'number' | 'person';
}
