import { plainText } from 'darkroom-reader/document';
import { findNavigation } from '../../domain/documents/navigation.ts';
import type { JsonSchema } from '../../domain/structured-extraction/json-schema.ts';
import { type ReadPage, wordsOf } from '../../domain/structured-extraction/read-page.ts';
import { readBoolean, readDate, readNumber } from '../../domain/structured-extraction/read-value.ts';
import { findValue, isOnlyLabels, type Labelled, meaningOf, readSegments } from './find-value.ts';
import {
  findLabels,
  type LabelledTable,
  type Labels,
  labelScore,
  type Wanted,
  wantedOf,
} from './find-labels.ts';

/** Values by property; properties without a value are missing. */
export type Found = Readonly<Record<string, unknown>>;

/**
 * Extracts data by a schema from labels alone: pairs, tables and lists whose label matches a property. A value of the
 * wrong type, or one that two labels contradict, is left out: nothing is guessed.
 *
 * @param isValid whether a value satisfies all rules of its property; others are left out as well
 */
export function extractLocally(
  pages: readonly ReadPage[],
  schema: JsonSchema,
  isValid: (value: unknown, schema: JsonSchema) => boolean,
): Found {
  const read = withoutContents(pages);
  return readObject({ ...findLabels(read), ...readSegments(read), isValid }, schema, []) ?? {};
}

/** Contents have the words of labels, before the numbers of pages; without their title, they may be sums behind dots. */
function withoutContents(pages: readonly ReadPage[]): readonly ReadPage[] {
  const contents = findNavigation(pages, { untitled: false });
  if (contents.size === 0) return pages;
  return pages.map(({ elements, lines, ...page }) => {
    const { listed = [], others = [] } = Object.groupBy(elements, (element) =>
      contents.get(element) === 'contents' ? 'listed' : 'others',
    );
    const texts = new Set(listed.flatMap((element) => plainText(element).split('\n')));
    return {
      ...page,
      elements: others,
      ...(lines && { lines: lines.filter(({ text }) => !texts.has(text)) }),
    };
  });
}

/** The labels, and the validation of values. */
interface Source extends Labels, Labelled {
  isValid: (value: unknown, schema: JsonSchema) => boolean;
}

function readObject(labels: Source, schema: JsonSchema, parents: readonly string[]): Found | undefined {
  const found = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const others = Object.keys(schema.properties ?? {}).filter((other) => other !== name);
    const value = readProperty(labels, name, property, parents, others);
    return value === undefined ? [] : [[name, value] as const];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

function readProperty(
  labels: Source,
  name: string,
  schema: JsonSchema,
  parents: readonly string[],
  others: readonly string[],
): unknown {
  if (schema.anyOf)
    return first(schema.anyOf, (branch) => readProperty(labels, name, branch, parents, others));
  const wanted = wantedOf(name, schema, parents);
  if (schema.type === 'object') {
    const object = readObject(labels, schema, [...parents, ...wordsOf(name)]);
    // An incomplete object is dropped.
    return object && (schema.required ?? []).every((each) => each in object) ? object : undefined;
  }
  if (schema.type === 'array') {
    const items = readArray(labels, wanted, schema.items ?? {});
    return items && labels.isValid(items, schema) ? items : undefined;
  }
  const meaning = meaningOf([[...parents, name].join(' '), schema.title ?? ''], schema);
  const names = { own: [name, [...parents, name].join(' '), schema.title ?? ''], others };
  const text = meaning === undefined ? undefined : findValue(labels, meaning, names);
  const value = text === undefined ? undefined : coerce(text, schema, labels);
  if (value !== undefined && labels.isValid(value, schema)) return value;
  return readScalar(labels, wanted, schema, others);
}

function readScalar(labels: Source, wanted: Wanted, schema: JsonSchema, others: readonly string[]): unknown {
  const named = new Set(
    [...others.map((other) => wordsOf(other)), ...wanted.names].map((words) => words.join(' ')),
  );
  let best = 0;
  let values = new Set<unknown>();
  for (const { label, value, section, isAbove } of labels.pairs) {
    const words = wordsOf(label).join(' ');
    if (named.has(words) && !wanted.names.some((name) => name.join(' ') === words)) continue;
    // What is below or beside a label may be the next one.
    if (named.has(wordsOf(value).join(' '))) continue;
    const score = labelScore(label, wanted, { section, title: labels.title }) * (isAbove ? 0.5 : 1);
    if (score === 0 || score < best) continue;
    const coerced = isOnlyLabels(value) ? undefined : coerce(value, schema, labels);
    if (coerced === undefined || !labels.isValid(coerced, schema)) continue;
    if (score > best) values = new Set();
    best = score;
    values.add(coerced);
  }
  return values.size === 1 ? [...values][0] : undefined;
}

function readArray(labels: Source, wanted: Wanted, items: JsonSchema): unknown[] | undefined {
  if (items.type === 'object') return readRows(labels, items);
  const context = { section: [], title: labels.title };
  const texts =
    first(labels.lists, ({ label, items: list }) =>
      labelScore(label, wanted, context) > 0 ? list : undefined,
    ) ??
    first(labels.tables, ({ headers, rows }) => {
      const at = headers.findIndex((header) => labelScore(header, wanted, context) > 0);
      return at < 0 ? undefined : rows.map((row) => row[at] ?? '');
    }) ??
    first(labels.pairs, ({ label, value, section }) =>
      labelScore(label, wanted, { ...context, section }) > 0 ? value.split(/[,;]/) : undefined,
    );
  const values = texts
    ?.flatMap((text) => coerce(text, items, labels) ?? [])
    .filter((value) => labels.isValid(value, items));
  return values && values.length > 0 ? values : undefined;
}

/** The rows of the table whose columns match the most names; one that continues on the next page is one table. */
function readRows(labels: Source, items: JsonSchema): unknown[] | undefined {
  const fitting = labels.tables.map((table) => ({ table, columns: columnsOf(table, items) }));
  const most = Math.max(0, ...fitting.map(({ columns }) => columns.length));
  if (most < Math.min(2, Object.keys(items.properties ?? {}).length) || most === 0) return undefined;
  const best = fitting.filter(({ columns }) => columns.length === most);
  // Ambiguous: two different tables match equally well.
  if (new Set(best.map(({ table }) => wordsOf(table.headers.join(' ')).join(' '))).size > 1) return undefined;
  const rows = best.flatMap(({ table, columns }) =>
    table.rows.flatMap((cells) => readRow(labels, cells, columns, items) ?? []),
  );
  return rows.length > 0 ? rows : undefined;
}

interface Column {
  name: string;
  schema: JsonSchema;
  at: number;
}

function columnsOf({ headers }: LabelledTable, items: JsonSchema): Column[] {
  const context = { section: [], title: [] };
  const taken = new Set<number>();
  return Object.entries(items.properties ?? {}).flatMap(([name, schema]) => {
    const wanted = wantedOf(name, schema, []);
    const scores = headers.map((header, at) => (taken.has(at) ? 0 : labelScore(header, wanted, context)));
    const at = scores.indexOf(Math.max(...scores, 0.1));
    if (at < 0) return [];
    taken.add(at);
    return [{ name, schema, at }];
  });
}

/** A row of a table; a total row has fewer than half of the values and is skipped. */
function readRow(
  source: Source,
  cells: readonly string[],
  columns: readonly Column[],
  items: JsonSchema,
): Found | undefined {
  const found = columns.flatMap(({ name, schema, at }) => {
    const value = coerce(cells[at] ?? '', schema, source);
    return value === undefined || !source.isValid(value, schema) ? [] : [[name, value] as const];
  });
  const object: Found = Object.fromEntries(found);
  const isWhole = (items.required ?? []).every((name) => name in object);
  return isWhole && found.length * 2 > columns.length ? object : undefined;
}

type Scalar = string | number | boolean;
/** How the document writes numbers and dates. */
type Notation = Pick<Labelled, 'order' | 'hasDecimalCommas'>;

/** Converts a text to a value of a scalar schema; undefined if it does not fit. */
function coerce(text: string, schema: JsonSchema, notation: Notation): Scalar | undefined {
  const value = coerceType(text, schema, notation);
  const choices = schema.const === undefined ? schema.enum : [schema.const];
  if (value === undefined || !choices) return value;
  return choices.find((choice) => sameText(String(choice), String(value)));
}

function coerceType(
  text: string,
  { type, format, anyOf }: JsonSchema,
  notation: Notation,
): Scalar | undefined {
  const plain = text.trim().replaceAll(/\s+/g, ' ');
  if (plain === '') return undefined;
  switch (type) {
    case 'number':
      return readNumber(plain, notation.hasDecimalCommas);
    case 'integer': {
      const value = readNumber(plain, notation.hasDecimalCommas);
      return Number.isInteger(value) ? value : undefined;
    }
    case 'boolean':
      return readBoolean(plain);
    case 'string':
      return format === 'date' ? readDate(plain, notation.order) : plain;
    case undefined:
      return first(anyOf ?? [], (branch) => coerce(text, branch, notation));
    default:
      return undefined;
  }
}

function sameText(some: string, other: string): boolean {
  return some === other || wordsOf(some).join(' ') === wordsOf(other).join(' ');
}

/** The first result that is not undefined. */
function first<T, R>(items: readonly T[], read: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const result = read(item);
    if (result !== undefined) return result;
  }
  return undefined;
}
