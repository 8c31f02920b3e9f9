import { readBoolean, readDate, readNumber } from '../../domain/structured-extraction/read-value.ts';

type Node = Readonly<Record<string, unknown>>;

/**
 * Repairs notation in a model's answer that would make it invalid: quoted numbers and booleans, dates as written on the
 * page, and null for optional values. Properties absent from the schema are removed, unless `additionalProperties` is
 * true: a document may instruct the model to write them.
 */
export function tidyAnswer(answer: unknown, schema: unknown): unknown {
  return tidy(answer, alternatives(schema));
}

/** @param nodes the schemas that may apply to the value: several with `anyOf` */
function tidy(value: unknown, nodes: readonly Node[]): unknown {
  if (isObject(value)) return tidyObject(value, nodes);
  // Deeper values have no schema, and their depth is unbounded.
  if (nodes.length === 0) return value;
  if (Array.isArray(value)) {
    const items = nodes.flatMap((node) => alternatives(node['items']));
    return value.map((item) => tidy(item, items));
  }
  const [only, ...others] = nodes;
  return typeof value === 'string' && only && others.length === 0 ? tidyText(value, only) : value;
}

function tidyObject(object: Node, nodes: readonly Node[]): Node {
  const ofObjects = nodes.filter(mayHaveProperties);
  // A value of the wrong type is reported by validation.
  if (ofObjects.length === 0) return object;
  const fitting = ofObjects.filter((node) => mayBe(object, node));
  const chosen = fitting.length > 0 ? fitting : ofObjects;
  const isOpen = chosen.some((node) => node['additionalProperties'] === true);
  return Object.fromEntries(
    Object.entries(object).flatMap(([name, value]) => {
      const named = chosen.flatMap((node) => {
        const schema = propertyOf(node, name);
        return schema === undefined ? [] : [{ schema, isRequired: namesOf(node['required']).includes(name) }];
      });
      if (named.length === 0) return isOpen ? [[name, value]] : [];
      const isOptional = named.every(({ schema, isRequired }) => isPlain(schema) && !isRequired);
      if (value === null && isOptional) return [];
      return [
        [
          name,
          tidy(
            value,
            named.flatMap(({ schema }) => alternatives(schema)),
          ),
        ],
      ];
    }),
  );
}

/** A schema and all branches of its `anyOf`, without nodes that only group branches. */
function alternatives(schema: unknown): Node[] {
  if (!isObject(schema)) return [];
  const { anyOf, ...own } = schema;
  if (!Array.isArray(anyOf)) return [schema];
  const isOwn = ['type', 'properties', 'items', 'additionalProperties'].some((keyword) => keyword in own);
  return [...(isOwn ? [own] : []), ...anyOf.flatMap(alternatives)];
}

function mayHaveProperties({ type, properties, additionalProperties }: Node): boolean {
  return type === 'object' || isObject(properties) || additionalProperties === true;
}

/** Whether an object matches what distinguishes the branches of `anyOf`: required names, constants, and lists and objects. */
function mayBe(object: Node, node: Node): boolean {
  const fits = (name: string, value: unknown) => {
    const schema = propertyOf(node, name);
    if (!isObject(schema)) return true;
    if (typeof schema['type'] === 'string' && kindOf(schema['type']) !== kindOf(typeName(value)))
      return false;
    const choices = schema['const'] === undefined ? schema['enum'] : [schema['const']];
    return !Array.isArray(choices) || choices.includes(value);
  };
  return (
    namesOf(node['required']).every((name) => Object.hasOwn(object, name)) &&
    Object.entries(object).every(([name, value]) => value === null || fits(name, value))
  );
}

const typeName = (value: unknown) => (Array.isArray(value) ? 'array' : typeof value);

/** Text may still become a number, a boolean or a date, so all scalars are alike. */
const kindOf = (type: string) => (type === 'array' || type === 'object' ? type : 'scalar');

function propertyOf({ properties }: Node, name: string): unknown {
  return isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

function namesOf(required: unknown): readonly string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
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

/** A schema with a single type, excluding null. */
function isPlain(schema: unknown): boolean {
  return isObject(schema) && typeof schema['type'] === 'string' && schema['type'] !== 'null';
}

function isObject(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
