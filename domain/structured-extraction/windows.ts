import type { JsonSchema } from './json-schema.ts';
import { textOf, type ReadPage } from './read-page.ts';

/** About 10,000 tokens of text: every current model accepts it, with room for schema and answer. */
const MAX_WINDOW_CHARACTERS = 40_000;
/** Pages per window, so that a page of few words is not lost among hundreds. */
const MAX_WINDOW_PAGES = 40;

/** Divides the pages of a document into windows, one per model call. Only a single oversized page exceeds the limit. */
export function windowsOf(pages: readonly ReadPage[]): ReadPage[][] {
  const windows: ReadPage[][] = [];
  let length = 0;
  for (const page of pages) {
    const last = windows.at(-1);
    const size = textOf(page).length;
    if (last && last.length < MAX_WINDOW_PAGES && length + size <= MAX_WINDOW_CHARACTERS) {
      last.push(page);
      length += size;
    } else {
      windows.push([page]);
      length = size;
    }
  }
  return windows;
}

/** The schema for one of several windows: required values may be in another one. */
export function windowSchema(schema: JsonSchema): JsonSchema {
  const { required: _, minItems: __, properties, items, ...rest } = schema;
  return {
    ...rest,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, windowSchema(property)]),
      ),
    }),
    // An item is either complete or absent.
    ...(items && { items }),
  };
}

/**
 * Merges the results of windows, in their order: the first present scalar wins, objects merge by property, and lists
 * are concatenated without an item that ended one window and began the next.
 */
export function mergeWindows(results: readonly unknown[]): unknown {
  return results.reduce((merged, result) => merge(merged, result));
}

function merge(before: unknown, after: unknown): unknown {
  if (isEmpty(before)) return after;
  if (Array.isArray(before) && Array.isArray(after)) return joinLists(before, after);
  if (!isObject(before) || !isObject(after)) return before;
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return Object.fromEntries(names.map((name) => [name, merge(before[name], after[name])]));
}

function joinLists(before: readonly unknown[], after: readonly unknown[]): unknown[] {
  const scalars = [...before, ...after].every((item) => typeof item !== 'object');
  if (scalars) return [...new Set([...before, ...after])];
  const repeated = before.length > 0 && JSON.stringify(before.at(-1)) === JSON.stringify(after[0]);
  return [...before, ...(repeated ? after.slice(1) : after)];
}

function isEmpty(value: unknown): boolean {
  return (
    value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
