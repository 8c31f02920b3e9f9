import { RE2JS } from 're2js';
import type { PatternEngine } from '../../domain/structured-extraction/check-schema.ts';

/** Maximum size of the automaton: beyond it, a pattern such as `(a{1000}){1000}` costs memory instead of time. */
const MAX_PROGRAM_SIZE = 5000;

/** A regular expression with the interface that a validator uses. */
interface LinearPattern {
  test(text: string): boolean;
  /** The pattern, by which a validator distinguishes its patterns. */
  toString(): string;
}

/**
 * A pattern that is matched in time linear to the text, for schemas from users.
 *
 * @throws Error for unsupported syntax: syntax errors, look-arounds, back references
 */
export function linearPattern(pattern: string): LinearPattern {
  const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
  if (compiled.programSize() > MAX_PROGRAM_SIZE) throw new Error('it repeats too much');
  return { test: (text) => compiled.test(text), toString: () => pattern };
}

/** The pattern engine for results, so that every accepted schema can be checked against. */
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
