import { RE2JS } from 're2js';
import type { PatternEngine } from '../../../domain/structured-extraction/check-schema.ts';

/** The largest automaton: beyond, a pattern such as `(a{1000}){1000}` costs memory instead of time. */
const MAX_PROGRAM_SIZE = 5000;

/** A regular expression as a validator calls it. */
interface LinearPattern {
  test(text: string): boolean;
  /** The pattern: a validator tells its patterns apart by it. */
  toString(): string;
}

/**
 * A pattern that is matched in time linear to the text, whatever it says: schemas come from users.
 *
 * @throws Error with what cannot be matched so: syntax errors, look-arounds, back references
 */
export function linearPattern(pattern: string): LinearPattern {
  const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
  if (compiled.programSize() > MAX_PROGRAM_SIZE) throw new Error('it repeats too much');
  return { test: (text) => compiled.test(text), toString: () => pattern };
}

/** The engine of results, so that a schema that was accepted can be checked against. */
export const linearPatterns: PatternEngine = {
  refusePattern(pattern) {
    try {
      linearPattern(pattern);
      return undefined;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return `must be a regular expression without look-around and back references (${why.slice(0, 120)})`;
    }
  },
};
