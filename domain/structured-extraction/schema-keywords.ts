import { SCHEMA_FORMATS, type SchemaType } from './json-schema.ts';
import { childPointer, type SchemaViolation } from './schema-violation.ts';

export type SchemaObject = Readonly<Record<string, unknown>>;

/** Keywords allowed on every node; annotations without validation. */
const ANNOTATIONS = ['title', 'description', 'default', 'examples'];
const SCALAR = ['enum', 'const'];
const NUMERIC = [
  ...SCALAR,
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
] as const;

/** The keywords allowed on a node, by type. */
const KEYWORDS: Readonly<Record<SchemaType, readonly string[]>> = {
  string: [...SCALAR, 'format', 'pattern', 'minLength', 'maxLength'],
  integer: NUMERIC,
  number: NUMERIC,
  boolean: SCALAR,
  array: ['items', 'minItems', 'maxItems', 'uniqueItems'],
  object: ['properties', 'required', 'additionalProperties'],
};

/** "composition by anyOf only ($ref, allOf, oneOf unsupported)" */
const COMPOSITION = new Set([
  '$ref',
  '$dynamicRef',
  '$defs',
  'definitions',
  'allOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
]);

const COUNTS = ['minLength', 'maxLength', 'minItems', 'maxItems'];
const NUMBERS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'];
/** Lower bounds, the upper bounds they may contradict, and whether a bound is exclusive. */
const RANGES = [
  [{ minLength: false }, { maxLength: false }],
  [{ minItems: false }, { maxItems: false }],
  [
    { minimum: false, exclusiveMinimum: true },
    { maximum: false, exclusiveMaximum: true },
  ],
] as const;

/** Reports keywords that a node may not have. */
export function checkKeywords(
  node: SchemaObject,
  pointer: string,
  type: SchemaType | undefined,
): SchemaViolation[] {
  const allowed = new Set([
    'type',
    'anyOf',
    ...ANNOTATIONS,
    ...(pointer === '' ? ['$schema'] : []),
    ...(type ? KEYWORDS[type] : Object.values(KEYWORDS).flat()),
  ]);
  return Object.keys(node)
    .filter((keyword) => !allowed.has(keyword))
    .map((keyword): SchemaViolation => {
      const at = childPointer(pointer, keyword);
      if (COMPOSITION.has(keyword)) {
        return { pointer: at, rule: 'composition', message: `${keyword} is not supported; compose by anyOf` };
      }
      const known = Object.values(KEYWORDS).some((keywords) => keywords.includes(keyword));
      const message = known ? `${keyword} does not apply to ${type}` : `${keyword} is not supported`;
      return { pointer: at, rule: 'keyword', message };
    });
}

/** Reports keyword values that have the wrong type or contradict each other. */
export function checkValues(
  node: SchemaObject,
  pointer: string,
  type: SchemaType | undefined,
): SchemaViolation[] {
  const found: SchemaViolation[] = [];
  const refuse = (keyword: string, rule: SchemaViolation['rule'], message: string) =>
    void found.push({ pointer: childPointer(pointer, keyword), rule, message });
  const { title, description, examples, format, uniqueItems, additionalProperties, multipleOf } = node;

  for (const [keyword, value] of Object.entries({ title, description })) {
    if (value !== undefined && typeof value !== 'string') refuse(keyword, 'value', 'must be a string');
  }
  if (examples !== undefined && !Array.isArray(examples)) refuse('examples', 'value', 'must be a list');
  for (const [keyword, value] of Object.entries({ uniqueItems, additionalProperties })) {
    if (value !== undefined && typeof value !== 'boolean') refuse(keyword, 'value', 'must be true or false');
  }
  if (format !== undefined && !SCHEMA_FORMATS.some((known) => known === format)) {
    refuse('format', 'format', `must be one of ${SCHEMA_FORMATS.join(', ')}`);
  }
  for (const keyword of COUNTS) {
    const value = node[keyword];
    if (value !== undefined && !(Number.isSafeInteger(value) && Number(value) >= 0)) {
      refuse(keyword, 'bounds', 'must be a whole number that is not negative');
    }
  }
  for (const keyword of NUMBERS) {
    if (node[keyword] !== undefined && typeof node[keyword] !== 'number') {
      refuse(keyword, 'bounds', 'must be a number');
    }
  }
  if (multipleOf !== undefined && !(typeof multipleOf === 'number' && multipleOf > 0)) {
    refuse('multipleOf', 'bounds', 'must be a number above 0');
  }
  return [...found, ...checkRanges(node, pointer, type), ...checkChoices(node, pointer, type)];
}

/** Bounds that no value can satisfy. */
function checkRanges(node: SchemaObject, pointer: string, type: SchemaType | undefined): SchemaViolation[] {
  return RANGES.flatMap(([lower, upper]) =>
    Object.entries(lower).flatMap(([least, fromAbove]) =>
      Object.entries(upper).flatMap(([most, toBelow]): SchemaViolation[] => {
        const [low, high] = [node[least], node[most]];
        if (typeof low !== 'number' || typeof high !== 'number') return [];
        const whole = type === 'integer';
        const first = !whole ? low : fromAbove ? Math.floor(low) + 1 : Math.ceil(low);
        const last = !whole ? high : toBelow ? Math.ceil(high) - 1 : Math.floor(high);
        const none = first > last || (first === last && !whole && (fromAbove || toBelow));
        if (!none) return [];
        const message = low > high ? `is above ${most}` : `leaves no value together with ${most}`;
        return [{ pointer: childPointer(pointer, least), rule: 'bounds', message }];
      }),
    ),
  );
}

/** `enum` and `const`: scalars of the node's type, each once. */
function checkChoices(node: SchemaObject, pointer: string, type: SchemaType | undefined): SchemaViolation[] {
  const found: SchemaViolation[] = [];
  const refuse = (at: string, message: string) => void found.push({ pointer: at, rule: 'enum', message });
  if (node['const'] !== undefined && !isOfType(node['const'], type)) {
    refuse(childPointer(pointer, 'const'), `must be of type ${type ?? 'string, number or boolean'}`);
  }
  const choices = node['enum'];
  if (choices === undefined) return found;
  if (!Array.isArray(choices) || choices.length === 0) {
    refuse(childPointer(pointer, 'enum'), 'must be a list of at least one value');
    return found;
  }
  const seen = new Set<unknown>();
  for (const [index, choice] of choices.entries()) {
    const at = childPointer(pointer, 'enum', index);
    if (!isOfType(choice, type)) refuse(at, `must be of type ${type ?? 'string, number or boolean'}`);
    else if (seen.has(choice)) refuse(at, 'is there twice');
    seen.add(choice);
  }
  return found;
}

function isOfType(value: unknown, type: SchemaType | undefined): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'string' || type === 'number' || type === 'boolean') return typeof value === type;
  return ['string', 'number', 'boolean'].includes(typeof value);
}
