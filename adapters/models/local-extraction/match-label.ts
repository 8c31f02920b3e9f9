import type { JsonSchema } from '../../../domain/structured-extraction/json-schema.ts';
import { wordsOf } from '../../../domain/structured-extraction/words.ts';

/** A property that a label is looked for. */
export interface Wanted {
  /** The words of its name, and those of its title. */
  names: readonly (readonly string[])[];
  /** Its description, in words. */
  description: readonly string[];
  /** The words of the properties that it lies in. */
  parents: readonly string[];
}

/** What is known of the place of a label: the heading above it, the title of the document. */
export interface LabelContext {
  section: readonly string[];
  title: readonly string[];
}

export function wantedOf(name: string, schema: JsonSchema, parents: readonly string[]): Wanted {
  return {
    names: [wordsOf(name), ...(schema.title ? [wordsOf(schema.title)] : [])].filter(({ length }) => length),
    description: wordsOf(schema.description ?? ''),
    parents,
  };
}

/**
 * How surely a label means a property, 0–1; 0 is no match. The words must be the same, or what is missing must be said by
 * the heading or the title: below "Invoice", `Date` is the date of the invoice.
 */
export function labelScore(label: string, wanted: Wanted, context: LabelContext): number {
  const words = wordsOf(label);
  if (words.length === 0) return 0;
  const known = new Set([...context.section, ...context.title]);
  const inPlace = wanted.parents.every((word) => words.includes(word) || context.section.includes(word));
  const scores = wanted.names.map((name) => {
    const whole = [...new Set([...wanted.parents, ...name])];
    if (wanted.parents.length > 0 && sameWords(words, whole)) return 1;
    if (!inPlace) return 0;
    if (sameWords(words, name)) return 1;
    // Nested properties are named by their parents already.
    const missing = name.filter((word) => !words.includes(word));
    const unknown = words.filter((word) => !name.includes(word) && !wanted.parents.includes(word));
    if (missing.length === 0 && unknown.every((word) => FILLERS.has(word))) return 0.9;
    if (unknown.length === 0 && missing.every((word) => FILLERS.has(word))) return 0.9;
    return unknown.length === 0 && missing.every((word) => known.has(word)) ? 0.7 : 0;
  });
  return Math.max(0, ...scores, inPlace ? describedScore(words, wanted.description) : 0);
}

/** Words that a label may have, or lack, and still be the same. */
const FILLERS = new Set(['amount', 'value', 'price', 'grand', 'sum', 'full']);

/** A description that is the label, or that has its words in a row: "Order reference of the customer". */
function describedScore(words: readonly string[], description: readonly string[]): number {
  if (sameWords(words, description)) return 0.8;
  if (words.length < 2) return 0;
  const row = description.some((_, at) => words.every((word, index) => description[at + index] === word));
  return row ? 0.6 : 0;
}

function sameWords(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((word) => others.includes(word));
}
