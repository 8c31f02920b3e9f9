import type { JsonSchema } from '../../../domain/structured-extraction/json-schema.ts';
import { readBoolean, readDate, readNumber } from '../../../domain/structured-extraction/read-value.ts';
import { wordsOf } from '../../../domain/structured-extraction/words.ts';

export type Scalar = string | number | boolean;

/** A text as a value of a scalar schema; undefined where it is none. */
export function coerce(text: string, schema: JsonSchema): Scalar | undefined {
  const value = coerceType(text, schema);
  const choices = schema.const === undefined ? schema.enum : [schema.const];
  if (value === undefined || !choices) return value;
  return choices.find((choice) => sameText(String(choice), String(value)));
}

function coerceType(text: string, { type, format, anyOf }: JsonSchema): Scalar | undefined {
  const plain = text.trim().replaceAll(/\s+/g, ' ');
  if (plain === '') return undefined;
  switch (type) {
    case 'number':
      return readNumber(plain);
    case 'integer': {
      const value = readNumber(plain);
      return Number.isInteger(value) ? value : undefined;
    }
    case 'boolean':
      return readBoolean(plain);
    case 'string':
      return format === 'date' ? readDate(plain) : plain;
    case undefined:
      return first(anyOf ?? [], (branch) => coerce(text, branch));
    default:
      return undefined;
  }
}

function sameText(some: string, other: string): boolean {
  return some === other || wordsOf(some).join(' ') === wordsOf(other).join(' ');
}

/** The first result that is not undefined. */
export function first<T, R>(items: readonly T[], read: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const result = read(item);
    if (result !== undefined) return result;
  }
  return undefined;
}
