import { readBoolean, readDate, readNumber } from './read-value.ts';

type Node = Readonly<Record<string, unknown>>;

/**
 * The answer of a model with what only its notation makes invalid put right: numbers and booleans in quotes, dates as they
 * are written on the page, and null for what may be left out. Everything else is as the model said.
 */
export function tidyAnswer(answer: unknown, schema: unknown): unknown {
  if (!isObject(schema)) return answer;
  if (isObject(answer) && schema['type'] === 'object') return tidyObject(answer, schema);
  if (Array.isArray(answer) && schema['type'] === 'array') {
    return answer.map((item) => tidyAnswer(item, schema['items']));
  }
  return typeof answer === 'string' ? tidyText(answer, schema) : answer;
}

function tidyObject(answer: Node, { properties, required }: Node): Node {
  const known = isObject(properties) ? properties : {};
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  return Object.fromEntries(
    Object.entries(answer).flatMap(([name, value]) => {
      const schema = Object.hasOwn(known, name) ? known[name] : undefined;
      const isAbsent = value === null && isPlain(schema) && !needed.includes(name);
      return isAbsent ? [] : [[name, tidyAnswer(value, schema)]];
    }),
  );
}

function tidyText(text: string, { type, format }: Node): unknown {
  switch (type) {
    case 'number':
      return readNumber(text) ?? text;
    case 'integer': {
      const value = readNumber(text);
      return Number.isInteger(value) ? value : text;
    }
    case 'boolean':
      return readBoolean(text) ?? text;
    case 'string':
      return format === 'date' ? (readDate(text) ?? text) : text;
    default:
      return text;
  }
}

/** A schema of one type, which null is not of. */
function isPlain(schema: unknown): boolean {
  return isObject(schema) && typeof schema['type'] === 'string' && schema['type'] !== 'null';
}

function isObject(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
